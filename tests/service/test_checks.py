"""Suite runs in the service: kept, listed, gating promotions and readiness."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text
from typer.testing import CliRunner

from model.checkpoint import read_model_folder
from model.checks import judge
from model.classifier import Classifier
from model.config import LABELS
from service.app import create_app
from service.cli.commands import app
from service.settings import Settings
from tests.service.easy_suite import write_suite
from tests.service.metrics.test_definitions import value
from tests.service.test_emails import assert_problem
from tests.service.test_models import make_model, serving, until


@pytest.fixture
def suite(tmp_path: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write_suite(tmp_path / "easy.yaml", tiny_classifier)
    monkeypatch.setattr(Settings, "suite_files", lambda _: [path])
    return path


@pytest.fixture
def settings(database_url: str, tiny_folder: Path, tmp_path: Path, suite: Path) -> Settings:
    assert suite.exists()
    return Settings(
        database_url=database_url,
        model_folder=tiny_folder,
        models_folder=tmp_path / "models",
        model_poll_seconds=0.05,
        require_keys=False,
    )


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


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
    assert noted["details"] == {"from": before, "failing": [{"suite": "easy", "run_id": failing["run_id"]}]}
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
    states = {entry["model_version"]: entry["state"] for entry in client.get("/v1/checks/runs").json()["data"]}
    assert set(states.values()) == {"passed"}  # no floor is broken: only the comparison refuses
    assert serving_version in states


def held_suites(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Cases wait to be judged for as long as the list holds something."""
    gate = [True]

    def judged(*arguments: Any) -> Any:
        while gate:
            time.sleep(0.01)
        return judge.judge(*arguments)

    monkeypatch.setattr("model.checks.runner.judge", judged)
    return gate


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


def kept_runs(settings: Settings) -> list[dict[str, Any]]:
    """As a service that starts nothing sees them."""
    with TestClient(create_app(settings)) as client:
        found: list[dict[str, Any]] = client.get("/v1/checks/runs").json()["data"]
    return found


def started(settings: Settings, **changes: Any) -> TestClient:
    return TestClient(create_app(settings.model_copy(update={"check_at_start": "wait", **changes})))


def test_a_start_runs_only_suites_that_no_run_of_this_model_and_file_stands_for(
    settings: Settings, suite: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_until(status: int, states: list[str]) -> None:
        with started(settings) as client:
            until(lambda: [run["state"] for run in client.get("/v1/checks/runs").json()["data"]] == states)
            until(lambda: client.get("/readyz").status_code == status)

    start_until(200, ["passed"])
    with monkeypatch.context() as patch:  # a kept run is enough: nothing is read
        patch.setattr("service.checking.run_cases", lambda cases, *_, **__: [] if not cases else pytest.fail("asked"))
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
    suite.write_text(suite.read_text().replace("kind: minimum", "kind: minimum\n  severity: critical"))
    gate = held_suites(monkeypatch)
    with TestClient(create_app(settings.model_copy(update={"check_at_start": "wait"}))) as client:
        assert_problem(client.get("/readyz"), 503, "have not run yet")
        gate.clear()
        until(lambda: client.get("/readyz").status_code == 200)


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
    original = Classifier.predict

    def worse(self: Classifier, texts: list[str], **options: bool) -> Any:
        """The promoted model reads other words than it is given; the one before does not."""
        return original(self, texts if self.version == tiny else ["fee" for _ in texts], **options)

    def spoil() -> None:
        path = write_suite(suite, tiny_classifier)
        path.write_text(path.read_text().replace("kind: minimum", "kind: minimum\n  severity: critical"))
        monkeypatch.setattr(Classifier, "predict", worse)

    before, other, again = promoted_then(settings, spoil, check_at_start="wait", keep_last_good=True)
    assert tiny_classifier.predict(["fee"])[0].label != tiny_classifier.predict(["refund the cake"])[0].label
    with again as client:
        until(lambda: client.get("/readyz").status_code == 200)
        ready = client.get("/readyz").json()
        assert ready["model_version"] == before
        assert f"model {other} fails critical case" in ready["model_problem"]
        time.sleep(0.2)  # a few looks at the database later it still does
        assert serving(client) == before


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


def test_check_record_keeps_the_run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, suite: Path, tiny_classifier: Classifier
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REFUND_ROUTER_MODEL_FOLDER", str(settings.model_folder))
    write_suite(suite, tiny_classifier, wrong="minor")
    result = CliRunner().invoke(app, ["check", "--record", "--model", str(settings.model_folder)])
    assert result.exit_code == 1, result.output
    with TestClient(create_app(settings)) as client:
        (kept,) = client.get("/v1/checks/runs").json()["data"]
    assert (kept["trigger"], kept["state"], kept["n_passed"]) == ("cli", "failed", 3)
    assert "(command line)" in kept["actor"]


def test_models_on_the_command_line(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, suite: Path, tiny_classifier: Classifier
) -> None:
    for name in ("database_url", "model_folder", "models_folder"):
        monkeypatch.setenv(f"REFUND_ROUTER_{name.upper()}", str(getattr(settings, name)))
    runner = CliRunner()
    other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    write_suite(suite, tiny_classifier, wrong="major")
    refused = runner.invoke(app, ["models", "promote", "other"])
    assert refused.exit_code == 1, refused.output
    assert "easy: 1 cases failed" in refused.stdout
    write_suite(suite, tiny_classifier)
    promoted = runner.invoke(app, ["models", "promote", "other"])
    assert promoted.exit_code == 0, promoted.output
    assert f"{other} serves in place of tiny+" in promoted.stderr
    assert (
        f'"version": "{other}", "folder": "other", "serving": true'
        in runner.invoke(app, ["models", "list", "--json"]).stdout
    )
    assert runner.invoke(app, ["models", "rollback"]).exit_code == 0
    nothing = runner.invoke(app, ["models", "rollback"])
    assert (nothing.exit_code, "no model served before" in nothing.stderr) == (2, True)
    assert runner.invoke(app, ["models", "promote", "nothing"]).exit_code == 2
