"""The start: critical cases first, what no run stands for after, and which model serves then."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from model.checkpoint import read_model_folder
from model.classifier import Classifier
from service.app import create_app
from service.settings import Settings
from tests.service.checks.runs import held_suites, kept_runs, started
from tests.service.easy_suite import write_suite
from tests.service.test_emails import assert_problem
from tests.service.test_models import make_model, serving, until


def test_a_model_that_fails_a_critical_case_at_the_start_is_not_ready(
    settings: Settings, suite: Path, tiny_classifier: Classifier
) -> None:
    write_suite(suite, tiny_classifier, wrong="critical")
    with TestClient(create_app(settings.model_copy(update={"check_at_start": "background"}))) as client:
        until(lambda: client.get("/readyz").status_code == 503)
        assert_problem(client.get("/readyz"), 503, "fails critical case hard")
        assert client.post("/v1/classify", json={"text": "refund"}).status_code == 200
        until(lambda: [entry["trigger"] for entry in client.get("/v1/checks/runs").json()["data"]] == ["startup"])


def test_a_major_failure_at_the_start_leaves_the_service_ready(
    settings: Settings, suite: Path, tiny_classifier: Classifier
) -> None:
    write_suite(suite, tiny_classifier, wrong="major")
    with TestClient(create_app(settings.model_copy(update={"check_at_start": "wait"}))) as client:
        until(lambda: client.get("/readyz").status_code == 200)
        until(lambda: [entry["state"] for entry in client.get("/v1/checks/runs").json()["data"]] == ["failed"])


def test_a_start_runs_only_suites_that_no_run_of_this_model_and_file_stands_for(
    settings: Settings, suite: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_until(status: int, states: list[str]) -> None:
        with started(settings) as client:
            until(lambda: [run["state"] for run in client.get("/v1/checks/runs").json()["data"]] == states)
            until(lambda: client.get("/readyz").status_code == status)

    start_until(200, ["passed"])
    with monkeypatch.context() as patch:  # a kept run is enough: nothing is read
        patch.setattr("service.suite_runs.run_cases", lambda cases, *_, **__: [] if not cases else pytest.fail("asked"))
        start_until(200, ["passed"])
    write_suite(suite, tiny_classifier, wrong="critical")
    start_until(503, ["failed", "passed"])
    with started(settings) as client:  # by the kept run
        until(lambda: client.get("/readyz").status_code == 503)
        until(lambda: "fails critical case hard" in client.get("/readyz").text)
    assert [run["state"] for run in kept_runs(settings)] == ["failed", "passed"]


def test_a_run_stands_for_so_many_hours(settings: Settings) -> None:
    with started(settings) as client:
        until(lambda: [run["state"] for run in client.get("/v1/checks/runs").json()["data"]] == ["passed"])
    engine = create_engine(settings.database_url)
    with engine.begin() as connection:
        connection.execute(text("update suite_runs set created_at = '2026-01-01 00:00:00'"))
    engine.dispose()
    with started(settings) as client:
        until(lambda: client.get("/readyz").status_code == 200)
        time.sleep(0.3)
    assert len(kept_runs(settings)) == 1
    with started(settings, check_every_hours=24.0) as client:
        until(lambda: [run["state"] for run in client.get("/v1/checks/runs").json()["data"]] == ["passed"] * 2)


def test_services_that_start_together_run_the_suites_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = held_suites(monkeypatch)
    monkeypatch.setattr("service.checking.TICK_SECONDS", 0.1)
    with started(settings) as one, started(settings) as two, started(settings) as three:
        for client in (one, two, three):  # none waits for the run: there is no critical case
            until(lambda client=client: client.get("/readyz").status_code == 200)
        until(lambda: len(one.get("/v1/checks/runs").json()["data"]) == 1)
        time.sleep(0.5)
        gate.clear()
        until(lambda: [run["state"] for run in two.get("/v1/checks/runs").json()["data"]] == ["passed"])
        time.sleep(0.3)
        assert len(three.get("/v1/checks/runs").json()["data"]) == 1


def test_readiness_waits_for_the_critical_cases_where_it_is_told_to(
    settings: Settings, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_critical(suite)
    gate = held_suites(monkeypatch)
    with TestClient(create_app(settings.model_copy(update={"check_at_start": "wait"}))) as client:
        assert_problem(client.get("/readyz"), 503, "have not run yet")
        gate.clear()
        until(lambda: client.get("/readyz").status_code == 200)


def make_critical(suite: Path) -> None:
    suite.write_text(suite.read_text().replace("kind: minimum", "kind: minimum\n  severity: critical"))


def misread(monkeypatch: pytest.MonkeyPatch, by: Callable[[str], bool]) -> None:
    """Models of these versions read other words than they are given."""
    original = Classifier.predict

    def predict(self: Classifier, texts: list[str], **options: bool) -> Any:
        return original(self, ["fee" for _ in texts] if by(self.version) else texts, **options)

    monkeypatch.setattr(Classifier, "predict", predict)


def test_a_service_whose_model_failed_is_ready_once_a_model_that_passes_serves(
    settings: Settings, suite: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_critical(suite)
    tiny = read_model_folder(tiny_folder).version
    misread(monkeypatch, lambda version: version == tiny)
    other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    with started(settings) as client:
        until(lambda: "fails critical case" in client.get("/readyz").text)
        assert client.post(f"/v1/models/{other}/promote").status_code == 200
        assert client.get("/readyz").json()["model_version"] == other
        assert client.post("/v1/models/rollback").status_code == 200
        assert_problem(client.get("/readyz"), 503, f"model {tiny} fails critical case")


def promoted_then(settings: Settings, prepare: Callable[[], object], **changes: Any) -> tuple[str, str, TestClient]:
    with TestClient(create_app(settings)) as client:
        before = serving(client)
        other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
        assert client.post(f"/v1/models/{other}/promote").status_code == 200
    prepare()
    return before, other, TestClient(create_app(settings.model_copy(update=changes)))


def test_the_last_good_model_serves_where_the_promoted_one_fails_a_critical_case(
    settings: Settings, suite: Path, tiny_classifier: Classifier, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = read_model_folder(tiny_folder).version

    def spoil() -> None:
        make_critical(write_suite(suite, tiny_classifier))
        misread(monkeypatch, lambda version: version != tiny)

    before, other, again = promoted_then(settings, spoil, check_at_start="wait", keep_last_good=True)
    assert tiny_classifier.predict(["fee"])[0].label != tiny_classifier.predict(["refund the cake"])[0].label
    with again as client:
        until(lambda: client.get("/readyz").status_code == 200)
        ready = client.get("/readyz").json()
        assert ready["model_version"] == before
        assert f"model {other} fails critical case" in ready["model_problem"]
        time.sleep(0.2)  # a few looks at the database later it still does
        assert serving(client) == before
