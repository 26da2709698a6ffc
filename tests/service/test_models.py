"""Models: found, promoted, rolled back, and followed by services that run."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from model.checkpoint import Card, read_model_folder, rewrite_card
from model.classifier import Classifier
from service.app import create_app
from service.database import make_engine, make_sessions
from service.model_shelf import ModelShelf, load_copy
from service.promotion import promote, roll_back
from service.settings import Settings
from service.suite_runs import SuiteRuns
from tests.service.easy_suite import write_suite
from tests.service.test_emails import assert_problem


@pytest.fixture
def settings(
    database_url: str,
    tiny_folder: Path,
    tiny_classifier: Classifier,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Settings:
    suite = write_suite(tmp_path / "easy.yaml", tiny_classifier)
    monkeypatch.setattr(Settings, "suite_files", lambda _: [suite])
    return Settings(
        require_keys=False,
        database_url=database_url,
        model_folder=tiny_folder,
        models_folder=tmp_path / "models",
        model_poll_seconds=0.05,
    )


def make_model(
    source: Path, target: Path, version: str, temperature: float, thresholds: dict[str, float] | None = None
) -> str:
    """Another model than the source, at the cost of a copy: another temperature gives other confidences."""
    shutil.copytree(source, target)
    card = Card(version, temperature=temperature, thresholds=thresholds or {"other": 0.5})
    rewrite_card(target, read_model_folder(source).config, card)
    return read_model_folder(target).version


@pytest.fixture
def shelved(settings: Settings) -> str:
    """Another model, in the models folder; its version."""
    return make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)


@pytest.fixture
def third(settings: Settings) -> str:
    return make_model(settings.model_folder, settings.models_folder / "third", "third", 3.0)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


def serving(client: TestClient) -> str:
    answer: dict[str, Any] = client.get("/readyz").json()
    return str(answer["model_version"])


def until(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("did not come true in ten seconds")


def test_a_version_names_card_and_files(tiny_folder: Path, tmp_path: Path) -> None:
    version = read_model_folder(tiny_folder).version
    assert version.startswith("tiny+")
    assert len(version) == len("tiny+") + 7
    assert make_model(tiny_folder, tmp_path / "a", "tiny", 2.0) != version
    assert make_model(tiny_folder, tmp_path / "b", "tiny+0", 2.0).startswith("tiny+0.")


def test_models_are_listed_with_figures_and_bad_ones_with_their_problem(
    client: TestClient, settings: Settings, shelved: str
) -> None:
    shutil.copytree(settings.models_folder / "other", settings.models_folder / "torn")
    (settings.models_folder / "torn" / "weights.safetensors").write_bytes(b"half")
    found = {entry["folder"]: entry for entry in client.get("/v1/models").json()["data"]}
    assert found["model"]["serving"]
    assert found["other"]["version"] == shelved
    assert found["other"]["auto_thresholds"] == {"other": 0.5}
    assert found["torn"]["version"] is None
    assert "weights.safetensors: is not the file" in found["torn"]["problem"]
    evaluation = found["released"]["evaluations"][0]
    assert 0.8 < evaluation["accuracy"] < 1
    assert evaluation["mails"] > 1_000


def test_a_promotion_serves_at_once_with_its_thresholds_and_is_told(client: TestClient, shelved: str) -> None:
    before = serving(client)
    promoted = client.post(f"/v1/models/{shelved}/promote")
    assert promoted.status_code == 200, promoted.text
    assert (promoted.json()["from_version"], promoted.json()["to_version"]) == (before, shelved)
    assert client.post("/v1/classify", json={"text": "refund"}).json()["model_version"] == shelved
    thresholds = {entry["name"]: entry["auto_threshold"] for entry in client.get("/v1/labels").json()["data"]}
    assert thresholds["other"] == 0.5
    assert f'refund_router_model_info{{version="{shelved}"}} 1.0' in client.get("/metrics").text
    assert f'refund_router_model_info{{version="{before}"}} 0.0' in client.get("/metrics").text
    assert [row["number"] for row in client.get("/v1/models/promotions").json()["data"]] == [1]
    assert_problem(client.post(f"/v1/models/{shelved}/promote"), 409, "serves already")


def test_a_model_is_promoted_by_its_cards_version_where_only_one_has_it(
    client: TestClient, settings: Settings, shelved: str
) -> None:
    assert client.post("/v1/models/other/promote").json()["to_version"] == shelved
    make_model(settings.model_folder, settings.models_folder / "two", "other", 3.0)
    assert_problem(client.post("/v1/models/other/promote"), 404, "may be other+")
    assert_problem(client.post("/v1/models/nothing/promote"), 404, "no model folder holds nothing")


def test_rollbacks_go_back_through_what_stood_and_no_further(client: TestClient, shelved: str, third: str) -> None:
    first = serving(client)
    assert_problem(client.post("/v1/models/rollback"), 409, "no model served before")
    for version in (shelved, third):
        assert client.post(f"/v1/models/{version}/promote").status_code == 200
    assert client.post("/v1/models/rollback", json={"reason": "reads fees as items"}).json()["to_version"] == shelved
    assert client.post("/v1/models/rollback").json()["to_version"] == first
    assert serving(client) == first
    assert_problem(client.post("/v1/models/rollback"), 409, "no model served before")
    page = client.get("/v1/models/promotions", params={"limit": 3}).json()
    assert [row["action"] for row in page["data"]] == ["rollback", "rollback", "promotion"]
    assert page["data"][1]["reason"] == "reads fees as items"
    rest = client.get("/v1/models/promotions", params={"cursor": page["next_cursor"]}).json()
    assert [row["number"] for row in rest["data"]] == [1]
    noted = {
        action: [entry["subject"] for entry in client.get("/v1/audit", params={"action": action}).json()["data"]]
        for action in ("model_promotion", "model_rollback")
    }
    assert noted == {"model_promotion": [third, shelved], "model_rollback": [first, shelved]}


def test_a_rollback_to_a_folder_that_is_gone_is_refused(
    client: TestClient, settings: Settings, shelved: str, third: str
) -> None:
    for version in (shelved, third):
        client.post(f"/v1/models/{version}/promote")
    shutil.rmtree(settings.models_folder / "other")
    assert_problem(client.post("/v1/models/rollback"), 409, f"cannot go back to {shelved}")
    assert serving(client) == third


def test_a_second_service_follows_by_itself_and_a_third_starts_so(settings: Settings, shelved: str) -> None:
    with (
        TestClient(create_app(settings)) as one,
        TestClient(create_app(settings)) as two,
    ):
        one.post(f"/v1/models/{shelved}/promote")
        until(lambda: serving(two) == shelved)
        with TestClient(create_app(settings)) as three:
            assert serving(three) == shelved


def test_no_request_fails_while_models_are_swapped_and_each_names_its_model(settings: Settings, shelved: str) -> None:
    stop = threading.Event()
    with TestClient(create_app(settings)) as client:
        before = serving(client)

        def ask(number: int) -> list[tuple[int, str, float]]:
            answers = []
            while not stop.is_set():
                response = client.post(
                    "/v1/emails", json={"text": "refund the fee, not the cake", "subject": str(number)}
                )
                answers.append((response.status_code, response.json()["model_version"], response.json()["confidence"]))
            return answers

        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(ask, number) for number in range(4)]
            for turn in range(6):
                path = f"/v1/models/{shelved}/promote" if turn % 2 == 0 else "/v1/models/rollback"
                assert client.post(path).status_code == 200
                time.sleep(0.1)
            stop.set()
            answers = [answer for each in asked for answer in each.result()]
    assert {status for status, _, _ in answers} == {201}
    confidences: dict[str, set[float]] = {before: set(), shelved: set()}
    for _, version, confidence in answers:
        confidences[version].add(round(confidence, 4))
    assert all(confidences.values())
    assert not confidences[before] & confidences[shelved]  # the model that is named is the one that read


def test_a_promoted_folder_that_went_bad_leaves_the_last_good_model(
    client: TestClient, settings: Settings, shelved: str
) -> None:
    before = serving(client)
    (settings.models_folder / "other" / "model.onnx").write_bytes(b"torn")
    assert_problem(client.post(f"/v1/models/{shelved}/promote"), 404, "no model folder holds")
    assert serving(client) == before


def test_a_promotion_whose_folder_this_process_lacks_leaves_the_last_good_model_and_says_so(
    settings: Settings, shelved: str
) -> None:
    engine = make_engine(settings.database_url, timeout_seconds=5)
    sessions = make_sessions(engine)
    no_suites = SuiteRuns(sessions, suite_files=[], auto_threshold=0.95, every_hours=0)
    shelf = ModelShelf(
        settings.models_folder,
        default=settings.model_folder,
        default_version=read_model_folder(settings.model_folder).version,
        released=settings.model_folder,
    )
    with TestClient(create_app(settings)) as client:
        before = serving(client)
        with_it = settings.models_folder
        blind = ModelShelf(with_it, default=with_it / "other", default_version=before, released=with_it / "other")
        shutil.move(with_it, with_it.parent / "elsewhere")
        shutil.copytree(with_it.parent / "elsewhere", with_it)
        promote(sessions, blind, no_suites, version=shelved, actor="mina")
        until(lambda: serving(client) == shelved)
        roll_back(sessions, shelf, actor="mina", reason=None)
        until(lambda: serving(client) == before)
        promote(sessions, blind, no_suites, version=shelved, actor="mina")
    shutil.rmtree(with_it)
    with TestClient(create_app(settings)) as client:
        ready = client.get("/readyz").json()
        assert ready["model_version"] == before
        assert f"no model folder holds {shelved}" in ready["model_problem"]
    engine.dispose()


def test_a_folder_overwritten_under_the_service_changes_no_answer(tmp_path: Path, tiny_folder: Path) -> None:
    folder = tmp_path / "served"
    shutil.copytree(tiny_folder, folder)
    classifier = load_copy(folder)
    before = classifier.predict(["refund the cake"])
    for path in folder.iterdir():
        size = path.stat().st_size
        path.write_bytes(b"\0" * (size // 2))
    assert classifier.predict(["refund the cake"]) == before


def test_two_promotions_at_once_make_one_and_refuse_the_other(settings: Settings, shelved: str) -> None:
    with TestClient(create_app(settings)) as client, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: client.post(f"/v1/models/{shelved}/promote").status_code, range(2)))
    assert sorted(answers) == [200, 409]
