"""Promotions: the suites run before, what refuses, and what is not run twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from model.checkpoint import read_model_folder
from model.classifier import Classifier
from model.config import LABELS
from service.app import create_app
from service.settings import Settings
from tests.service.checks.runs import held_suites
from tests.service.easy_suite import write_suite
from tests.service.test_emails import assert_problem
from tests.service.test_models import make_model, serving, until


def test_a_promotion_runs_the_suites_and_is_refused_with_the_failing_cases(
    client: TestClient, settings: Settings, suite: Path, tiny_classifier: Classifier
) -> None:
    before = serving(client)
    other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    write_suite(suite, tiny_classifier, wrong="major")
    refused = client.post(f"/v1/models/{other}/promote")
    assert_problem(refused, 409, "fails easy")
    (failing,) = refused.json()["failing"]
    assert [case["case_id"] for case in failing["cases"]] == ["hard"]
    assert client.get(f"/v1/checks/runs/{failing['run_id']}").json()["run"]["trigger"] == "promotion"
    assert serving(client) == before
    (noted,) = client.get("/v1/audit", params={"action": "model_promotion_refused"}).json()["data"]
    assert (noted["actor"], noted["subject"]) == ("local", other)
    told = {"suite": "easy", "run_id": failing["run_id"], "passed": False, "falls": []}
    told |= {"against": before, "broken": [], "n_broken": 0, "n_mended": 0}  # the serving model fails it too
    assert noted["details"] == {"from": before, "suites": 1, "failing": [told]}
    assert_problem(client.post(f"/v1/models/{other}/promote", json={"force": True}), 422, "reason")
    forced = client.post(f"/v1/models/{other}/promote", json={"force": True, "reason": "worse elsewhere"}).json()
    assert (forced["forced"], forced["reason"]) == (True, "worse elsewhere")
    assert forced["verdict"][0]["passed"] is False
    assert serving(client) == other


def test_a_promotion_is_refused_where_a_group_falls_against_the_serving_model_by_more_than_chance(
    client: TestClient,
    settings: Settings,
    suite: Path,
    tiny_classifier: Classifier,
    tiny_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [f"refund the cake {number}" for number in range(6)]
    labels = [prediction.label for prediction in tiny_classifier.predict(texts)]
    cases = [
        {"id": f"c{number}", "kind": "minimum", "text": text, "label": label}
        for number, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    suite.write_text(yaml.safe_dump({"name": "low", "description": "no floor", "fail_under": 0.0, "cases": cases}))
    serving_version = read_model_folder(tiny_folder).version
    original = Classifier.predict

    def worse(self: Classifier, texts: list[str], **options: bool) -> Any:
        found = original(self, texts, **options)
        other = next(label for label in LABELS if label not in labels)
        return found if self.version == serving_version else [replace(entry, label=other) for entry in found]

    make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    monkeypatch.setattr(Classifier, "predict", worse)
    refused = client.post("/v1/models/other/promote")
    assert_problem(refused, 409, "fails low")
    assert "6 cases broke and 0 mended" in refused.json()["failing"][0]["complaints"][0]
    (noted,) = client.get("/v1/audit", params={"action": "model_promotion_refused"}).json()["data"]
    (told,) = noted["details"]["failing"]
    assert (told["broken"], told["n_broken"], told["n_mended"]) == ([case["id"] for case in cases], 6, 0)
    states = {entry["model_version"]: entry["state"] for entry in client.get("/v1/checks/runs").json()["data"]}
    assert set(states.values()) == {"passed"}  # no floor is broken: only the comparison refuses
    assert serving_version in states


def test_a_promotion_is_refused_where_more_money_would_go_back_wrongly_with_no_person_looking(
    client: TestClient, settings: Settings, suite: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [{"id": "status", "kind": "minimum", "text": "where is my refund", "label": "refund_status"}]
    suite.write_text(yaml.safe_dump({"name": "low", "description": "no floor", "fail_under": 0.0, "cases": cases}))
    serving_version = read_model_folder(tiny_folder).version
    original = Classifier.predict

    def sure(self: Classifier, texts: list[str], **options: bool) -> Any:
        """All read it wrongly; only the serving one is not sure of it."""
        confidence = 0.9 if self.version == serving_version else 0.99
        found = original(self, texts, **options)
        return [replace(entry, label="refund_item", confidence=confidence) for entry in found]

    monkeypatch.setattr(Classifier, "predict", sure)
    make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    refused = client.post("/v1/models/other/promote")
    assert_problem(refused, 409, "fails low")
    (complaint,) = refused.json()["failing"][0]["complaints"]
    assert complaint == (
        f"against {serving_version}: money would go back wrongly with no person looking in 1 cases, not 0: status"
    )
    make_model(settings.model_folder, settings.models_folder / "careful", "careful", 3.0, {"refund_item": 1.0})
    assert client.post("/v1/models/careful/promote").status_code == 200
    assert client.post("/v1/models/rollback").status_code == 200


def test_a_long_promotion_is_accepted_goes_on_and_its_end_is_found(
    client: TestClient, settings: Settings, suite: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = held_suites(monkeypatch)
    monkeypatch.setattr("service.routers.models.PROMOTE_WAIT_SECONDS", 0.2)
    other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    accepted = client.post("/v1/models/other/promote")
    assert accepted.status_code == 202
    assert accepted.headers["location"] == accepted.json()["runs"]
    until(lambda: [run["state"] for run in client.get(accepted.headers["location"]).json()["data"]] == ["running"])
    gate.clear()
    until(lambda: serving(client) == other)
    assert client.get(accepted.json()["promotions"]).json()["data"][0]["to_version"] == other
    assert client.post("/v1/models/rollback").status_code == 200
    write_suite(suite, tiny_classifier, wrong="major")
    gate.append(True)
    assert client.post("/v1/models/other/promote").status_code == 202
    gate.clear()
    refused = {"action": "model_promotion_refused"}
    until(lambda: [entry["subject"] for entry in client.get("/v1/audit", params=refused).json()["data"]] == [other])
    assert serving(client) != other


def test_a_promotion_that_passes_names_its_runs(client: TestClient, settings: Settings) -> None:
    other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    promoted = client.post("/v1/models/other/promote").json()
    assert promoted["forced"] is False
    (verdict,) = promoted["verdict"]
    kept = client.get(f"/v1/checks/runs/{verdict['run_id']}").json()["run"]
    assert (kept["state"], kept["model_version"], verdict["passed"]) == ("passed", other, True)


@pytest.fixture
def other(settings: Settings) -> str:
    """Another model that may be promoted; its version."""
    return make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)


def accepted(client: TestClient, version: str, monkeypatch: pytest.MonkeyPatch, end: Callable[[], bool]) -> None:
    """Ask for a promotion whose suites take longer than the caller waits, and wait until its end is seen."""
    with monkeypatch.context() as patch:
        gate = held_suites(patch)
        patch.setattr("service.routers.models.PROMOTE_WAIT_SECONDS", 0.1)
        assert client.post(f"/v1/models/{version}/promote").status_code == 202
        gate.clear()
        until(end)


def run_ids(client: TestClient) -> list[str]:
    return [entry["id"] for entry in client.get("/v1/checks/runs").json()["data"]]


def test_a_refusal_that_came_late_is_told_when_asked_again_and_force_needs_no_second_run(
    client: TestClient, suite: Path, tiny_classifier: Classifier, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(suite, tiny_classifier, wrong="critical")
    refused = {"action": "model_promotion_refused"}
    accepted(client, other, monkeypatch, lambda: bool(client.get("/v1/audit", params=refused).json()["data"]))
    made = run_ids(client)
    assert len(made) == 2  # the candidate's and, for the comparison, the serving model's
    again = client.post(f"/v1/models/{other}/promote")
    assert_problem(again, 409, "fails easy")
    (failing,) = again.json()["failing"]
    assert failing["run_id"] in made
    assert (failing["failed_cases"], [case["case_id"] for case in failing["cases"]]) == (1, ["hard"])
    assert set(failing["cases"][0]["readings"][0]) == {"text", "expected", "label", "confidence"}
    forced = client.post(f"/v1/models/{other}/promote", json={"force": True, "reason": "worse elsewhere"}).json()
    (verdict,) = forced["verdict"]
    assert (verdict["run_id"], verdict["suite"], verdict["passed"]) == (failing["run_id"], "easy", False)
    assert run_ids(client) == made


def test_a_model_that_was_rolled_back_is_promoted_again_by_the_runs_it_has(
    client: TestClient, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted(client, other, monkeypatch, lambda: serving(client) == other)
    made = run_ids(client)
    assert client.post("/v1/models/rollback").status_code == 200
    again = client.post(f"/v1/models/{other}/promote").json()
    assert again["verdict"][0]["run_id"] in made
    assert run_ids(client) == made


def test_a_run_of_another_suite_file_or_too_long_ago_does_not_stand_for_a_promotion(
    settings: Settings, suite: Path, tiny_classifier: Classifier, other: str
) -> None:
    with TestClient(create_app(settings)) as client:
        assert client.post(f"/v1/models/{other}/promote").status_code == 200
        assert client.post("/v1/models/rollback").status_code == 200
        write_suite(suite, tiny_classifier, wrong="major")
        assert_problem(client.post(f"/v1/models/{other}/promote"), 409, "fails easy")
        made = len(run_ids(client))
    with TestClient(create_app(settings.model_copy(update={"check_every_hours": 1e-7}))) as client:
        assert_problem(client.post(f"/v1/models/{other}/promote"), 409, "fails easy")
        assert len(run_ids(client)) > made


def test_a_promotion_asked_of_a_second_service_meanwhile_waits_for_the_runs_of_the_first(
    settings: Settings, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.routers.models.PROMOTE_WAIT_SECONDS", 0.1)
    monkeypatch.setattr("service.suite_runs.WAIT_SECONDS", 0.05)
    gate = held_suites(monkeypatch)
    with TestClient(create_app(settings)) as one, TestClient(create_app(settings)) as two:
        for client in (one, two):
            assert client.post(f"/v1/models/{other}/promote").status_code == 202
        gate.clear()
        until(lambda: serving(one) == serving(two) == other)
        models = [entry["model_version"] for entry in one.get("/v1/checks/runs").json()["data"]]
        assert sorted(models) == sorted(set(models))  # one run each: of the candidate and of the model it replaced
