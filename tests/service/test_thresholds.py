from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from model.classifier import Classifier
from model.config import LABELS, MONEY_BACK_LABELS
from model.decision import Overrides
from service.app import create_app
from service.cli.commands import app
from service.settings import Settings
from service.thresholds import read_always_review, read_thresholds

CARD = {"refund_fee": 0.95, "other": 0.9}


@pytest.mark.parametrize(
    "given", ["refund_fee=0.97,all=0.5", " refund_fee = 0.97 , all=0.5,", '{"refund_fee": 0.97, "all": 0.5}']
)
def test_thresholds_are_read_as_pairs_or_json(given: str) -> None:
    assert read_thresholds(given) == {"refund_fee": 0.97, "all": 0.5}


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({}, (0.95, 0.9, 0.8)),  # the card's, the card's, the default
        ({"all": 0.5}, (0.5, 0.5, 0.5)),
        ({"refund_fee": 0.99}, (0.99, 0.9, 0.8)),
        ({"all": 0.5, "other": 0.6}, (0.5, 0.6, 0.5)),
    ],
)
def test_a_label_before_all_before_the_card_before_the_default(
    overrides: dict[str, float], expected: tuple[float, ...]
) -> None:
    standing = [Overrides(overrides).threshold(label, CARD, 0.8) for label in ("refund_fee", "other", "no_refund")]
    assert tuple(standing) == expected


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("THRESHOLDS", "refund_moon=0.9", "'refund_moon' is none of all, refund_item"),
        ("THRESHOLDS", "refund_fee", "refund_fee: '' is not a number"),
        ("THRESHOLDS", "refund_fee=high", "refund_fee: 'high' is not a number"),
        ("THRESHOLDS", "refund_fee=1.2", "refund_fee: 1.2 is not from 0 to 1"),
        ("THRESHOLDS", "refund_fee=nan", "refund_fee: nan is not from 0 to 1"),
        ("THRESHOLDS", "refund_fee=0.9,refund_fee=0.8", "refund_fee is given twice"),
        ("THRESHOLDS", '{"refund_fee": 0.9, "refund_fee": 0.8}', "refund_fee is given twice"),
        ("THRESHOLDS", '{"refund_fee": ', "is not JSON"),
        ("THRESHOLDS", '{"refund_fee": null}', "refund_fee: None is not a number"),
        ("ALWAYS_REVIEW", "refund_moon", "'refund_moon' is none of money_back, refund_item"),
    ],
)
def test_a_wrong_setting_stops_the_start_in_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(f"REFUND_ROUTER_{name}", value)
    result = CliRunner().invoke(app, ["serve"])
    assert result.exit_code == 2
    assert f"setting REFUND_ROUTER_{name}" in result.stderr
    assert words in result.stderr


def test_money_back_names_the_labels_that_pay() -> None:
    assert read_always_review("money_back, other") == MONEY_BACK_LABELS | {"other"}
    assert read_always_review("") == frozenset()


def serve(settings: Settings, classifier: Classifier, **changed: Any) -> TestClient:
    return TestClient(create_app(settings.model_copy(update=changed), classifier))


def test_the_labels_show_what_stands(settings: Settings, tiny_classifier: Classifier) -> None:
    changed = {"thresholds": "all=0.5,refund_fee=0.99", "always_review": "refund_order"}
    with serve(settings, tiny_classifier, **changed) as client:
        labels = {label["name"]: label for label in client.get("/v1/labels").json()["data"]}
    assert {name: label["auto_threshold"] for name, label in labels.items()} == {
        name: 0.99 if name == "refund_fee" else 0.5 for name in LABELS
    }
    assert [name for name, label in labels.items() if label["always_review"]] == ["refund_order"]


def test_settings_decide_what_goes_to_review(settings: Settings, tiny_classifier: Classifier) -> None:
    mail = {"text": "Refund the fee."}
    with serve(settings, tiny_classifier, thresholds="all=0") as client:
        certain = client.post("/v1/emails", json=mail).json()
    assert "low_confidence" not in certain["reasons"]
    with serve(settings, tiny_classifier, thresholds="all=0", always_review=certain["label"]) as client:
        asked = client.post("/v1/emails", json=mail).json()
        other = client.post("/v1/classify", json=mail).json()
        listed = client.get("/v1/emails", params={"reason": "needs_person"}).json()["data"]
    assert [entry["id"] for entry in listed] == [asked["id"]]
    assert (asked["decision"], other["decision"]) == ("review", "review")
    assert "needs_person" in asked["reasons"]
    with serve(settings, tiny_classifier, thresholds="all=1") as client:
        assert "low_confidence" in client.post("/v1/emails", json=mail).json()["reasons"]
