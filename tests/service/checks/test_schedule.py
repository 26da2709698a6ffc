"""The schedule, which all processes on a database share."""

from __future__ import annotations

import time

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from service.app import create_app
from service.settings import Settings
from tests.service.checks.runs import finished, run
from tests.service.test_models import until


def test_the_schedule_runs_once_for_all_processes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.checking.TICK_SECONDS", 0.05)
    scheduled = settings.model_copy(update={"check_every_hours": 1.0})
    with TestClient(create_app(scheduled)) as client:
        until(lambda: len(client.get("/v1/checks/runs", params={"trigger": "schedule"}).json()["data"]) > 0)
        with TestClient(create_app(scheduled)):
            time.sleep(0.4)
        assert len(client.get("/v1/checks/runs").json()["data"]) == 1


def test_a_run_that_an_ended_process_left_becomes_an_error(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.checking.TICK_SECONDS", 0.05)
    with TestClient(create_app(settings)) as client:
        left = run(client)["run"]["id"]
    engine = create_engine(settings.database_url)
    with engine.begin() as connection:
        connection.execute(text("update suite_runs set state = 'running', created_at = '2026-01-01 00:00:00'"))
    engine.dispose()
    with TestClient(create_app(settings.model_copy(update={"check_every_hours": 1.0}))) as client:
        found = finished(client, f"/v1/checks/runs/{left}")
    assert (found["run"]["state"], found["run"]["complaints"]) == ("error", ["the process that ran it ended"])
