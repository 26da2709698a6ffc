"""Another model under load: two processes behind the shipped nginx on one PostgreSQL follow a promotion by the API and
a rollback by the command line, while callers post without a pause."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import httpx2 as httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from model.checks.schema import read_suites
from model.classifier import Classifier
from service.settings import Settings
from service.tables import SuiteRun
from tests.deploy.load import Load, Told
from tests.deploy.servers import ROOT, START_SECONDS, Service, nginx, services
from tests.service.test_models import make_model

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="Debian's nginx is not installed")

POLL_SECONDS: float = Settings.model_fields["model_poll_seconds"].default
LOADING_SECONDS = 5.0  # on a machine that others use; a quiet one needs a tenth of one for a tiny model


@pytest.fixture
def other(tmp_path: Path, tiny_folder: Path) -> Classifier:
    """In the folder of models; with other confidences, by which its answers are told from the tiny one's."""
    folder = tmp_path / "models" / "other"
    make_model(tiny_folder, folder, "other", temperature=3.0)
    return Classifier(folder)


def suites_passed(url: str, versions: Sequence[str]) -> None:
    """As if the shipped suites had run on these models and passed: what they find is not what is tested here."""
    now = datetime.now(UTC)
    engine = create_engine(url)
    with Session(engine) as session, session.begin():
        for number, suite in enumerate(read_suites(Settings().suite_files())):
            session.add_all(
                SuiteRun(
                    id=f"{number}-{version}",
                    suite=suite.name,
                    suite_sha256=suite.sha256,
                    model_version=version,
                    trigger="cli",
                    actor="test",
                    state="passed",
                    created_at=now,
                    n_cases=len(suite.cases),
                    n_passed=len(suite.cases),
                )
                for version in versions
            )
    engine.dispose()


def seconds_until_all_serve(running: Sequence[Service], version: str) -> float:
    """From the row that says so."""
    until = monotonic() + START_SECONDS
    while any(httpx.get(f"{service.url}/readyz").json()["model_version"] != version for service in running):
        assert monotonic() < until
        sleep(0.02)
    newest = httpx.get(f"{running[0].url}/v1/models/promotions").json()["data"][0]
    assert newest["to_version"] == version
    return (datetime.now(UTC) - datetime.fromisoformat(newest["created_at"])).total_seconds()


def mails_of_now(load: Load) -> list[Told]:
    """Twenty that are sent and answered from now on."""
    begun, before = monotonic(), len(load.told)
    while len(found := [told for told in load.told[before:] if told.sent >= begun]) < 20:
        load.wait_for_more(1)
    return found


def roll_back(**environment: str) -> None:
    command = [sys.executable, "-m", "service.cli", "models", "rollback", "--reason", "reads fees as items"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=True, capture_output=True)


def predicted(running: Sequence[Service]) -> Counter[str]:
    """Model → the predictions that the processes say they stored."""
    found: Counter[str] = Counter()
    for service in running:
        for family in text_string_to_metric_families(httpx.get(f"{service.url}/metrics", timeout=30).text):
            if family.name == "refund_router_predictions":
                found.update({sample.labels["model"]: 0 for sample in family.samples})
                for sample in family.samples:
                    found[sample.labels["model"]] += int(sample.value)
    return found


def stored(url: str) -> dict[str, tuple[str, str, float]]:
    """Id → what was predicted of the mail, and by which model."""
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(text("select email_id, model_version, label, confidence from predictions"))
        found = {row.email_id: (row.model_version, row.label, row.confidence) for row in rows}
    engine.dispose()
    return found


def test_a_model_is_changed_and_changed_back_under_load_and_no_request_fails(
    tmp_path: Path, database_url: str, tiny_folder: Path, tiny_classifier: Classifier, other: Classifier
) -> None:
    first, second = tiny_classifier.version, other.version
    suites_passed(database_url, [first, second])
    environment = {
        "REFUND_ROUTER_DATABASE_URL": database_url,
        "REFUND_ROUTER_MODEL_FOLDER": str(tiny_folder),
        "REFUND_ROUTER_MODELS_FOLDER": str(tmp_path / "models"),
    }
    with (
        services(tmp_path, database_url, tiny_folder, 2, **environment) as running,
        nginx(tmp_path, [service.port for service in running]) as proxy,
    ):
        with Load(proxy, mails_per_second=50, keep_answers=True) as load:
            assert {told.answer["model_version"] for told in mails_of_now(load)} == {first}

            promoted = httpx.post(f"{proxy}/v1/models/{second}/promote", timeout=60)
            assert promoted.status_code in (200, 202), promoted.text  # 202 where the machine is slow: it goes on
            assert seconds_until_all_serve(running, second) < POLL_SECONDS + LOADING_SECONDS
            assert {told.answer["model_version"] for told in mails_of_now(load)} == {second}

            roll_back(**environment)
            assert seconds_until_all_serve(running, first) < POLL_SECONDS + LOADING_SECONDS
            assert {told.answer["model_version"] for told in mails_of_now(load)} == {first}
        by_model = Counter(told.answer["model_version"] for told in load.told)
        assert predicted(running) == by_model

    assert load.statuses.keys() == {201}
    answers = {told.answer["id"]: told.answer for told in load.told}
    assert len(answers) == load.answered
    assert stored(database_url) == {
        key: (answer["model_version"], answer["label"], answer["confidence"]) for key, answer in answers.items()
    }
    for classifier in (tiny_classifier, other):  # and the model that is named is the one that read it
        own = [answer for answer in answers.values() if answer["model_version"] == classifier.version]
        for answer, prediction in zip(own, classifier.predict([answer["text"] for answer in own]), strict=True):
            assert answer["label"] == prediction.label
            assert answer["confidence"] == pytest.approx(prediction.confidence, abs=1e-4)
