"""A day's mails against the reference of the released model: through the database, HTTP, metrics and command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import uuid_utils
from fastapi.testclient import TestClient
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from typer.testing import CliRunner

from model.classifier import Classifier
from model.drift import DriftMeter
from model.reference import FILE
from service.app import create_app
from service.cli.commands import app
from service.drift import measure
from service.queries.drift import newest_predicted
from service.settings import Settings, released_model
from service.tables import Email, StoredPrediction
from training.data import Mail, read_split

NOW = datetime.now(UTC)
REFERENCE = json.loads((released_model() / FILE).read_text(encoding="utf-8"))
USUAL: float = REFERENCE["confidence"]  # the mean over the mails that the released model is compared with


def store(url: str, mails: Sequence[Mail], *, model: str, confidence: float = USUAL) -> None:
    """As if the model had read them rightly, just now."""
    engine = create_engine(url)
    with Session(engine) as session, session.begin():
        for mail in mails:
            prediction = StoredPrediction(
                id=str(uuid_utils.uuid7()),
                model_version=model,
                label=mail.label,
                confidence=confidence,
                probabilities={mail.label: confidence},
                spans=[],
                decision="review",
                reasons=[],
                truncated=False,
                created_at=NOW,
            )
            session.add(
                Email(
                    id=str(uuid_utils.uuid7()),
                    recipients=[],
                    text=mail.text,
                    details={},
                    created_at=NOW,
                    prediction=prediction,
                )
            )
    engine.dispose()


def shifted(url: str, classifier: Classifier) -> dict[str, bool | None]:
    engine = create_engine(url)
    with Session(engine) as session:
        drift = measure(session, DriftMeter(classifier), since=NOW - timedelta(hours=1), until=NOW + timedelta(hours=1))
    engine.dispose()
    return {signal.name: signal.shifted for signal in drift.signals}


def fresh(count: int) -> list[Mail]:
    """Mails of the reference's own kind: every k-th of the development split."""
    mails = read_split("development")
    return mails[:: len(mails) // count][:count]


def test_mails_like_the_reference_do_not_fire(database_url: str, released: Classifier) -> None:
    store(database_url, fresh(200), model=released.version)
    found = shifted(database_url, released)
    assert set(found) == {"label_mix", "confidence", "length", "unknown", "language", "embedding"}
    assert not any(found.values()), found


@pytest.mark.parametrize(
    ("kind", "fires"),
    [
        ("one label", {"label_mix"}),
        ("another language", {"language", "embedding"}),
        ("unsure", {"confidence"}),
        ("long", {"length"}),
        ("another script", {"language", "unknown"}),
    ],
)
def test_a_real_shift_fires_its_signal(kind: str, fires: set[str], tmp_path: Path, released: Classifier) -> None:
    from service.upgrade import upgrade

    url = f"sqlite:///{tmp_path}/drift.db"
    upgrade(url)
    mails, confidence = fresh(200), USUAL
    if kind == "one label":
        mails = [mail for mail in read_split("development") if mail.label == "billing_error"][:100]
    elif kind == "another language":
        mails = [mail for mail in read_split("development") if mail.lang == "pl"] * 5
    elif kind == "unsure":
        confidence = 0.7
    elif kind == "long":
        mails = [Mail(mail.text + "\n" + mail.text * 8, mail.label) for mail in mails]
    else:
        mails = [Mail("お願いします。配送料を返金してください。", mail.label) for mail in mails]
    store(url, mails, model=released.version, confidence=confidence)
    found = shifted(url, released)
    assert fires <= {name for name, moved in found.items() if moved}, found


def test_a_few_mails_give_no_verdict(database_url: str, released: Classifier) -> None:
    store(database_url, fresh(20), model=released.version)
    assert set(shifted(database_url, released).values()) == {None}


def test_only_mails_of_the_time_and_the_model_are_measured(database_url: str) -> None:
    store(database_url, fresh(3), model="another")
    engine, hour = create_engine(database_url), timedelta(hours=1)
    with Session(engine) as session:
        found = [
            len(newest_predicted(session, since=since, until=since + 2 * hour, model_version=model, limit=10))
            for since, model in ((NOW - hour, "another"), (NOW - hour, "served"), (NOW - 5 * hour, "another"))
        ]
    engine.dispose()
    assert found == [3, 0, 0]


def test_http_metrics_the_health_page_and_the_command_line_tell_the_same(
    database_url: str, released: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(database_url, fresh(60), model=released.version)
    with TestClient(create_app(Settings(database_url=database_url, require_keys=False), released)) as client:
        page = client.get("/v1/drift", params={"days": 2}).json()
        text = client.get("/metrics").text
        health = client.get("/health").text
        assert client.get("/v1/drift", params={"days": 0}).status_code == 422
    assert page["reference"]["mails"] == REFERENCE["mails"]
    today = page["data"][0]
    assert today["mails"] == 60
    assert today["estimated_accuracy"] == pytest.approx(REFERENCE["accuracy"], abs=0.02)
    for signal in today["signals"]:
        assert f'refund_router_drift_distance{{signal="{signal["name"]}"}} ' in text
        assert f'refund_router_drift_threshold{{signal="{signal["name"]}"}} ' in text
    assert f"\nrefund_router_estimated_accuracy_ratio {today['estimated_accuracy']}" in text
    assert "60 mails against those that the model was calibrated on" in health
    for signal in today["signals"]:
        row = f'<th scope="row">{signal["name"].replace("_", " ")}</th><td>{signal["distance"]:.3f}</td>'
        assert row in health
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", database_url)
    done = CliRunner().invoke(app, ["drift", "--days", "2", "--json"])
    assert json.loads(done.stdout)["data"][0]["signals"] == today["signals"]
    assert done.exit_code == int(any(signal["shifted"] for signal in today["signals"]))


def test_a_model_without_a_reference_is_served_and_says_so(client: TestClient, tiny_folder: Path) -> None:
    client.post("/v1/emails", json={"text": "refund"})
    page = client.get("/v1/drift").json()
    assert page["reference"] is None
    assert [day["signals"] for day in page["data"]] == [[]] * 7
    done = CliRunner().invoke(app, ["drift", "--model", str(tiny_folder)])
    assert done.exit_code == 2
    assert "has no reference.json" in done.stderr
