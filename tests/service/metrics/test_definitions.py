"""What the service counts while it works."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from prometheus_client import REGISTRY

from model.classifier import Classifier
from model.config import LABELS
from service import metrics


def value(name: str, **labels: str) -> float:
    found = REGISTRY.get_sample_value(f"{metrics.NAMESPACE}_{name}", labels)
    assert found is not None, (name, labels)
    return found


def test_known_label_values_exist_from_the_start(client: TestClient, tiny_classifier: Classifier) -> None:
    text = client.get("/metrics").text
    for series in (
        f'predictions_total{{decision="auto",label="refund_fee",model="{tiny_classifier.version}"}}',
        'feedback_total{corrected="refund_item",predicted="refund_fee"}',
        'refusals_total{reason="queue_full"}',
        'inbound_mails_total{result="duplicate",source="raw"}',
        'batches_total{reason="closing"}',
        'suite_runs_total{result="failed",trigger="schedule"}',
        'review_reasons_total{reason="order_check_failed"}',
        'stage_duration_seconds_count{stage="tokenize"}',
    ):
        assert f"\n{metrics.NAMESPACE}_{series} " in text, series


@pytest.mark.parametrize(
    ("path", "content_type", "body", "source", "result"),
    [
        ("/v1/emails", "application/json", b'{"text": "refund"}', "json", "stored"),
        ("/v1/emails", "application/json", b'{"text": 5}', "json", "refused"),
        ("/v1/emails", "application/json", b"{", "json", "refused"),
        ("/v1/emails", "message/rfc822", b"Subject: refund\n\nmy fee", "raw", "stored"),
        ("/v1/emails", "message/rfc822", b" ", "raw", "refused"),
        ("/v1/emails", "message/rfc822", b"x" * 3_000_001, "raw", "refused"),  # stopped before it is routed
        ("/v1/classify", "application/json", b'{"text": "refund"}', "classify", "stored"),
    ],
)
def test_each_mail_is_counted_by_its_way_and_what_became_of_it(
    client: TestClient, path: str, content_type: str, body: bytes, source: str, result: str
) -> None:
    before = value("inbound_mails_total", source=source, result=result)
    client.post(path, content=body, headers={"content-type": content_type})
    assert value("inbound_mails_total", source=source, result=result) == before + 1


def test_the_same_mail_again_is_a_duplicate_and_no_second_prediction(
    client: TestClient, tiny_classifier: Classifier
) -> None:
    def predictions() -> float:
        return sum(
            value("predictions_total", label=label, decision=decision, model=tiny_classifier.version)
            for label in LABELS
            for decision in metrics.DECISIONS
        )

    before, duplicates = predictions(), value("inbound_mails_total", source="json", result="duplicate")
    for _ in range(2):
        client.post("/v1/emails", json={"message_id": "<1@x>", "text": "refund the fee"})
    assert predictions() == before + 1
    assert value("inbound_mails_total", source="json", result="duplicate") == duplicates + 1


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("application/json", b"{", "invalid"),
        ("application/json", b"{}", "invalid"),
        ("text/csv", b"a,b", "unsupported_media"),
        ("application/json", b"x" * 3_000_001, "body_too_large"),
        ("message/rfc822", b"content-type: multipart/mixed; boundary=b\n\n" + b"--b\n\na\n" * 300, "over_limit"),
    ],
)
def test_a_refusal_is_counted_by_its_reason(client: TestClient, content_type: str, body: bytes, reason: str) -> None:
    before = value("refusals_total", reason=reason)
    answer = client.post("/v1/emails", content=body, headers={"content-type": content_type})
    assert 400 <= answer.status_code < 500
    assert value("refusals_total", reason=reason) == before + 1


def test_a_prediction_shows_in_confidence_stages_batches_and_time(client: TestClient) -> None:
    names = [("batch_size_mails_count", {}), *(("stage_duration_seconds_count", {"stage": s}) for s in metrics.STAGES)]
    before = [value(name, **labels) for name, labels in names]
    answer = client.post("/v1/emails", json={"text": "refund the fee"}).json()
    assert [value(name, **labels) for name, labels in names] == [count + 1 for count in before]
    assert value("prediction_confidence_ratio_count", label=answer["label"]) >= 1
    assert value("database_pool_connections", state="in_use") == 0


def test_a_suites_run_shows_and_a_failed_one_leaves_the_last_success() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    metrics.show_suite_run("s", "m", pass_ratio=1.0, pair_accuracy=1.0, passed=True, finished_at=moment)
    later = moment + timedelta(days=1)
    metrics.show_suite_run("s", "m", pass_ratio=0.5, pair_accuracy=0.25, passed=False, finished_at=later)
    found = [value(f"suite_{name}", suite="s", model="m") for name in ("passed", "pass_ratio", "pair_accuracy_ratio")]
    assert found == [0, 0.5, 0.25]
    assert value("suite_last_success_timestamp_seconds", suite="s", model="m") == moment.timestamp()


def test_another_model_takes_the_place_of_the_one_before() -> None:
    metrics.show_model("first")
    metrics.show_model("second", instead_of="first")
    assert (value("model_info", version="first"), value("model_info", version="second")) == (0, 1)
    assert value("predictions_total", label="other", decision="auto", model="second") == 0
