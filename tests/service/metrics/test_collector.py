from __future__ import annotations

from time import time

import pytest
from fastapi.testclient import TestClient
from prometheus_client import REGISTRY
from sqlalchemy import create_engine, text

from service.metrics import collector as module
from service.metrics.collector import KEPT_SECONDS, DatabaseCollector
from service.settings import Settings


def read(collector: DatabaseCollector) -> dict[str, float]:
    return {sample.name: sample.value for family in collector.collect() for sample in family.samples}


def test_the_backlog_counts_the_mails_that_wait_and_not_texts_that_were_only_classified(
    client: TestClient, settings: Settings
) -> None:
    client.post("/v1/classify", json={"text": "refund"})  # of the tiny model's confidence: review
    collector = DatabaseCollector(settings.database_url)
    assert read(collector)["refund_router_review_backlog_mails"] == 0
    assert read(collector)["refund_router_review_oldest_age_seconds"] == 0
    assert "refund_router_inbound_last_received_timestamp_seconds" not in read(collector)
    collector.close()
    for number in range(3):
        assert client.post("/v1/emails", json={"text": f"refund {number}"}).json()["decision"] == "review"
    collector = DatabaseCollector(settings.database_url)
    found = read(collector)
    collector.close()
    assert found["refund_router_review_backlog_mails"] == 3
    assert 0 < found["refund_router_review_oldest_age_seconds"] < 60
    assert found["refund_router_database_up"] == 1
    assert abs(found["refund_router_inbound_last_received_timestamp_seconds"] - time()) < 60


def test_a_reading_is_kept_for_a_while_so_that_scrapes_do_not_load_the_database(
    client: TestClient, settings: Settings
) -> None:
    now = [0.0]
    collector = DatabaseCollector(settings.database_url, clock=lambda: now[0])
    assert read(collector)["refund_router_review_backlog_mails"] == 0
    client.post("/v1/emails", json={"text": "refund"})
    assert read(collector)["refund_router_review_backlog_mails"] == 0
    now[0] = KEPT_SECONDS
    assert read(collector)["refund_router_review_backlog_mails"] == 1
    collector.close()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_database_that_hangs_leaves_the_other_metrics(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.2)
    collector = DatabaseCollector(settings.database_url)
    engine = create_engine(settings.database_url)
    with engine.begin() as connection:
        connection.execute(text("lock table reviews"))
        assert read(collector) == {"refund_router_database_up": 0}
    collector.close()
    engine.dispose()
    assert "refund_router_http_requests_total" in client.get("/metrics").text


def test_a_database_that_is_gone_is_said_to_be_down() -> None:
    collector = DatabaseCollector(Settings(database_url="postgresql://127.0.0.1:1/none").database_url)
    assert read(collector) == {"refund_router_database_up": 0}
    collector.close()


def test_a_mail_with_a_verdict_waits_no_more_and_the_verdict_is_counted(client: TestClient, settings: Settings) -> None:
    first, second = (client.post("/v1/emails", json={"text": f"refund {number}"}).json() for number in range(2))
    labels = {"predicted": first["label"], "corrected": first["label"]}
    before = REGISTRY.get_sample_value("refund_router_feedback_total", labels)
    assert before is not None

    def backlog() -> float:
        collector = DatabaseCollector(settings.database_url)
        found = read(collector)["refund_router_review_backlog_mails"]
        collector.close()
        return found

    assert backlog() == 2
    assert client.post(f"/v1/review/{second['id']}/claim").status_code == 200
    assert backlog() == 2  # a mail that someone looks at still waits
    client.post(f"/v1/emails/{first['id']}/feedback", json={"verdict": "accepted"})
    assert backlog() == 1
    assert REGISTRY.get_sample_value("refund_router_feedback_total", labels) == before + 1
    client.post(f"/v1/emails/{first['id']}/feedback", json={"verdict": "withdrawn"})
    assert backlog() == 2
