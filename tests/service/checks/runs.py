"""Runs as a service's callers see them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from model.checks import judge
from service.app import create_app
from service.settings import Settings
from tests.service.test_models import until


def finished(client: TestClient, location: str) -> dict[str, Any]:
    def done() -> bool:
        return client.get(location).json()["run"]["state"] != "running"

    until(done)
    answer: dict[str, Any] = client.get(location).json()
    return answer


def run(client: TestClient) -> dict[str, Any]:
    accepted = client.post("/v1/checks/runs")
    assert accepted.status_code == 202, accepted.text
    return finished(client, accepted.headers["location"])


def held_suites(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Cases wait to be judged for as long as the list holds something."""
    gate = [True]

    def judged(*arguments: Any) -> Any:
        while gate:
            time.sleep(0.01)
        return judge.judge(*arguments)

    monkeypatch.setattr("model.checks.runner.judge", judged)
    return gate


def kept_runs(settings: Settings) -> list[dict[str, Any]]:
    """As a service that starts nothing sees them."""
    with TestClient(create_app(settings)) as client:
        found: list[dict[str, Any]] = client.get("/v1/checks/runs").json()["data"]
    return found


def started(settings: Settings, **changes: Any) -> TestClient:
    return TestClient(create_app(settings.model_copy(update={"check_at_start": "wait", **changes})))
