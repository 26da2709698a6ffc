from __future__ import annotations

import logging
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.exc import OperationalError

from model.classifier import Classifier
from service import log_privacy
from service.app import create_app
from service.settings import Settings
from tests.service.test_erasure import MAIL, MARK
from tests.service.test_reviews import execute

RAW = f"Subject: {MARK}\nFrom: {MARK}@x.example\nTo: a@x.example\nMessage-ID: <{MARK}@x>\n\nRefund {MARK}\n".encode()
ODD = b"From: \xff" + MARK.encode() + b"\nContent-Type: multipart/mixed; boundary=" + MARK.encode() + b"\n\n--broken"
JSON = {"content-type": "application/json"}


@pytest.fixture
def records(caplog: pytest.LogCaptureFixture) -> Any:
    """All that any logger says at DEBUG, formatted as a file would have it."""
    log_privacy.install()
    engine = logging.getLogger("sqlalchemy.engine")  # it has rows and parameters at DEBUG
    before = engine.level
    engine.setLevel(logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    yield lambda: "\n".join(logging.Formatter("%(name)s %(message)s").format(record) for record in caplog.records)
    engine.setLevel(before)


def every_route(client: TestClient) -> list[int]:
    """Marked mails by every route that takes words, rightly and wrongly."""
    posted = client.post("/v1/emails", json=MAIL)
    mail_id = posted.json().get("id", MARK) if posted.status_code < 400 else MARK
    answers = [
        posted,
        client.post("/v1/emails", content=RAW, headers={"content-type": "message/rfc822"}),
        client.post("/v1/emails", content=ODD, headers={"content-type": "message/rfc822"}),
        client.post("/v1/emails", content=f'{{"text": "{MARK}'.encode(), headers=JSON),
        client.post("/v1/emails", content=f'{{"text": "{MARK}\\ud800"}}'.encode(), headers=JSON),
        client.post("/v1/emails", json={**MAIL, MARK: MARK}),
        client.post("/v1/emails", json={**MAIL, "text": MARK * 500_000}),  # over the limit
        client.post("/v1/emails", content=MARK.encode(), headers={"content-type": f"text/{MARK}"}),
        client.post("/v1/classify", json={"text": MARK}),
        client.post("/v1/classify", json={"text": [MARK]}),
        client.get("/v1/emails", params={"label": MARK}),
        client.get("/v1/emails", params={"cursor": MARK}),
        client.get(f"/v1/emails/{MARK}"),
        client.get(f"/{MARK}"),
        client.post(f"/v1/emails/{mail_id}/feedback", json={"verdict": "accepted", "reason": MARK}),
        client.post(f"/v1/emails/{mail_id}/feedback", json={"verdict": "corrected", "label": MARK}),
        client.get("/v1/review"),
        client.post("/v1/review/next"),
        client.post(f"/v1/review/{mail_id}/claim"),
        client.post("/v1/erasures", json={"address": f"{MARK}@example.org", "dry_run": True}),
        client.post("/v1/erasures", json={"address": MARK}),
        client.delete(f"/v1/emails/{mail_id}"),
        client.get("/"),
    ]
    assert MARK not in client.get("/metrics").text
    return [answer.status_code for answer in answers]


def test_no_word_of_a_mail_reaches_logs_or_metrics_by_any_route(client: TestClient, records: Any) -> None:
    statuses = every_route(client)
    assert {200, 201, 400, 404, 413, 415, 422} <= set(statuses)
    assert "sqlalchemy.engine" in records()  # it was listened to
    assert MARK not in without_client(records())


def test_no_word_reaches_the_logs_when_the_model_fails_on_it(
    settings: Settings, tiny_classifier: Classifier, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    predict = Classifier.predict

    def fail(classifier: Classifier, texts: list[str], **options: Any) -> Any:
        if texts == ["refund"]:  # a start reads a text of its own
            return predict(classifier, texts, **options)
        raise ValueError(f"cannot read {texts!r}")

    with TestClient(create_app(settings, tiny_classifier), raise_server_exceptions=False) as client:
        monkeypatch.setattr(Classifier, "predict", fail)
        assert 500 in every_route(client)
    assert "ValueError" in records()
    assert MARK not in without_client(records())


def test_no_word_reaches_the_logs_when_the_database_fails_on_it(
    client: TestClient, database_url: str, records: Any
) -> None:
    execute(database_url, "drop table predictions" + (" cascade" if "postgres" in database_url else ""))
    assert 503 in every_route(client)
    assert "Error" in records()
    assert MARK not in without_client(records())


def without_client(text: str) -> str:
    """The test's own HTTP client logs what it asks; a service does not."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(("httpx", "httpcore")))


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(logging.Formatter().format(record) for record in caplog.records)


def test_numbers_and_addresses_in_messages_are_redacted(caplog: pytest.LogCaptureFixture) -> None:
    log_privacy.install()
    logging.getLogger("x").warning("from %s, card %s, order %d", "mina@example.org", "4111 1111 1111 1111", 11844028)
    assert logged(caplog) == "from ****@*******.***, card **** **** **** ****, order 11844028"


def test_an_exception_is_logged_with_types_and_places_in_place_of_its_words(caplog: pytest.LogCaptureFixture) -> None:
    log_privacy.install()
    try:
        try:
            raise KeyError("the cake")
        except KeyError as error:
            raise OperationalError("insert", {"text": "the cake"}, ValueError("the cake")) from error
    except OperationalError:
        logging.getLogger("x").exception("failed")
    text = logged(caplog)
    assert "builtins.KeyError" in text
    assert "sqlalchemy.exc.OperationalError" in text
    assert "test_log_privacy.py" in text
    assert "the cake" not in text.replace('"the cake"', "")  # the line of code is shown, not the value


def test_a_group_of_exceptions_tells_of_each(caplog: pytest.LogCaptureFixture) -> None:
    log_privacy.install()
    try:
        raise ExceptionGroup("cake", [ValueError("cake"), TypeError("cake")])
    except ExceptionGroup:
        logging.getLogger("x").exception("failed")
    assert "builtins.ValueError" in logged(caplog)
    assert "builtins.TypeError" in logged(caplog)


def test_a_log_call_with_wrong_arguments_is_kept_without_them(caplog: pytest.LogCaptureFixture) -> None:
    log_privacy.install()
    logging.getLogger("x").warning("%d of %d", "the cake")
    assert logged(caplog) == "%d of %d"


def test_an_access_log_has_no_query(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    log_privacy.install()
    access = logging.getLogger("uvicorn.access")  # a server in this process may have set it up for itself
    monkeypatch.setattr(access, "handlers", [])
    monkeypatch.setattr(access, "propagate", True)
    monkeypatch.setattr(access, "disabled", False)
    caplog.set_level(logging.INFO, logger=access.name)
    access.info('%s - "%s %s HTTP/%s" %d', "::1", "GET", "/v1/emails?text=cake", "1.1", 200)
    assert logged(caplog) == '::1 - "GET /v1/emails HTTP/1.1" 200'
