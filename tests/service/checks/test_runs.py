"""Suite runs that callers ask for: done in the background, kept with every case, listed, shown."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from model.checks import judge
from model.classifier import Classifier
from service.app import create_app
from service.settings import Settings
from tests.service.checks.runs import finished, run
from tests.service.easy_suite import write_suite
from tests.service.metrics.test_definitions import value
from tests.service.test_emails import assert_problem
from tests.service.test_models import serving, until


def test_a_run_is_accepted_done_in_the_background_and_kept_with_every_case(client: TestClient) -> None:
    accepted = client.post("/v1/checks/runs", json={"suites": ["easy"]})
    assert accepted.status_code == 202
    assert accepted.json()["data"][0]["trigger"] == "api"
    found = finished(client, accepted.headers["location"])
    assert (found["run"]["state"], found["run"]["n_cases"], found["run"]["pass_ratio"]) == ("passed", 3, 1.0)
    assert found["run"]["model_version"] == serving(client)
    assert [case["case_id"] for case in found["cases"]] == ["easy0", "easy1", "easy2"]
    reading = found["cases"][0]["readings"][0]
    assert reading["text"] == "refund the cake"
    assert reading["label"] == reading["expected"]
    assert 0 < reading["confidence"] <= 1


def test_a_failing_run_stays_when_a_later_one_passes(
    client: TestClient, suite: Path, tiny_classifier: Classifier
) -> None:
    write_suite(suite, tiny_classifier, wrong="major")
    failed = run(client)
    assert failed["run"]["state"] == "failed"
    assert "3 of 4 cases passed" in failed["run"]["complaints"][0]
    write_suite(suite, tiny_classifier)
    assert run(client)["run"]["state"] == "passed"
    again = client.get(f"/v1/checks/runs/{failed['run']['id']}", params={"passed": False}).json()
    assert again["run"] == failed["run"]
    assert [case["case_id"] for case in again["cases"]] == ["hard"]
    assert "read as" in again["cases"][0]["reason"]
    states = [entry["state"] for entry in client.get("/v1/checks/runs", params={"suite": "easy"}).json()["data"]]
    assert states == ["passed", "failed"]
    assert len(client.get("/v1/checks/runs", params={"state": "failed"}).json()["data"]) == 1
    points = client.get("/v1/checks/trend", params={"suite": "easy"}).json()["data"]
    assert [point["pass_ratio"] for point in points] == [0.75, 1.0]
    assert points[0]["suite_sha256"] != points[1]["suite_sha256"]


def test_runs_and_cases_come_in_pages(client: TestClient) -> None:
    for _ in range(3):
        run(client)
    page = client.get("/v1/checks/runs", params={"limit": 2}).json()
    rest = client.get("/v1/checks/runs", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    ids = [entry["id"] for entry in page["data"] + rest["data"]]
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == 3
    assert rest["next_cursor"] is None
    location = f"/v1/checks/runs/{ids[0]}"
    first = client.get(location, params={"limit": 2}).json()
    second = client.get(location, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [case["number"] for case in first["cases"] + second["cases"]] == [0, 1, 2]
    newest = client.get("/v1/checks/trend", params={"suite": "easy", "limit": 2}).json()
    assert [point["run_id"] for point in newest["data"]] == ids[:2][::-1]


def test_an_unknown_suite_model_or_run_is_not_found(client: TestClient) -> None:
    assert_problem(client.post("/v1/checks/runs", json={"suites": ["nothing"]}), 404, "no suite is named 'nothing'")
    assert_problem(client.post("/v1/checks/runs", json={"model": "nothing"}), 404, "no model folder holds nothing")
    assert_problem(client.get("/v1/checks/runs/nothing"), 404, "no run has this id")


def test_a_suite_that_cannot_be_read_is_told(client: TestClient, suite: Path) -> None:
    suite.write_text("name: [")
    assert_problem(client.post("/v1/checks/runs"), 503, "a suite cannot be read", "easy.yaml")


def test_a_run_that_breaks_is_kept_as_an_error_and_the_next_one_works(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise OSError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr("model.checks.runner.judge", broken)
        found = run(client)
    assert (found["run"]["state"], found["run"]["complaints"]) == ("error", ["the disk is gone"])
    assert run(client)["run"]["state"] == "passed"
    assert judge.judge is not broken


def test_a_run_shows_in_the_metrics_and_one_of_another_process_does_at_the_next_look(
    client: TestClient, settings: Settings, suite: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = {"suite": "easy", "model": tiny_classifier.version}
    counted = value("suite_runs_total", trigger="api", result="passed")
    run(client)
    assert value("suite_runs_total", trigger="api", result="passed") == counted + 1
    assert (value("suite_passed", **labels), value("suite_pass_ratio", **labels)) == (1, 1)
    last_success = value("suite_last_success_timestamp_seconds", **labels)
    assert abs(last_success - time.time()) < 60
    write_suite(suite, tiny_classifier, wrong="major")
    with monkeypatch.context() as patch:  # as another process would: nothing is shown here
        patch.setattr("service.recording.show_suite_run", lambda *_, **__: None)
        run(client)
    assert value("suite_passed", **labels) == 1
    monkeypatch.setattr("service.checking.TICK_SECONDS", 0.05)
    with TestClient(create_app(settings)):
        until(lambda: value("suite_passed", **labels) == 0)
    assert value("suite_pass_ratio", **labels) == 0.75
    assert value("suite_last_success_timestamp_seconds", **labels) == last_success


def test_a_model_shows_the_last_finished_run_of_each_suite(
    client: TestClient, suite: Path, tiny_classifier: Classifier
) -> None:
    def suites() -> dict[str, list[dict[str, Any]]]:
        return {entry["version"]: entry["suites"] for entry in client.get("/v1/models").json()["data"]}

    assert set(map(len, suites().values())) == {0}
    run(client)
    write_suite(suite, tiny_classifier, wrong="critical")
    last = run(client)["run"]
    found = suites()
    (shown,) = found.pop(tiny_classifier.version)
    assert (shown["suite"], shown["run_id"], shown["state"]) == ("easy", last["id"], "failed")
    assert (shown["n_passed"], shown["n_cases"], shown["failed_critical"]) == (3, 4, 1)
    assert not any(found.values())  # of another model there is none
    page = client.get("/models").text
    assert '<th scope="row">easy</th><td>3 of 4</td>' in page
    assert '<span class="failed">failed</span> (1 critical)' in page
