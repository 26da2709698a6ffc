from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from model.classifier import Classifier
from service.database import make_engine, make_sessions
from service.identity import bare_address, content_hash
from service.intake.compose import Intake
from service.reading import Job, Reader, Stored
from service.schemas.emails import EmailIn
from tests.service.test_emails import MAIL, rows

NO_ID = {key: value for key, value in MAIL.items() if key != "message_id"}


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        ("Mina <Mina@Example.ORG>", "mina@example.org"),
        (" mina@example.org ", "mina@example.org"),
        ("no  address", "no address"),
        ("", None),
        (None, None),
        ("x" * 500 + "@y", "x" * 320),
    ],
)
def test_an_address_is_known_however_it_is_written(sender: str | None, address: str | None) -> None:
    assert bare_address(sender) == address


def test_content_is_the_same_for_other_spaces_names_and_orders_only() -> None:
    one = content_hash("Mina <m@x>", ["a@s", "B@s"], "Refund  the\ncake")
    assert one == content_hash("m@X", ["b@s", "A <a@s>"], "Refund the cake\n")
    others = [
        content_hash("n@x", ["a@s", "b@s"], "Refund the cake"),
        content_hash("m@x", ["a@s"], "Refund the cake"),
        content_hash("m@x", ["a@s", "b@s"], "Refund the cakes"),
        content_hash("m@x", ["a@s", "b@s Refund"], "the cake"),
    ]
    assert len({one, *others}) == 5


@pytest.mark.parametrize(
    "change", [{"text": "Where is my order?"}, {"to": ["orders@shop"]}, {"from": "noor@example.org"}]
)
def test_a_message_id_that_comes_with_another_mail_loses_none(
    client: TestClient, database_url: str, change: dict[str, Any]
) -> None:
    first = client.post("/v1/emails", json=MAIL)
    other = client.post("/v1/emails", json={**MAIL, **change})
    assert (first.status_code, other.status_code) == (201, 201)
    assert other.json()["message_id"] == MAIL["message_id"]
    assert other.json()["id"] != first.json()["id"]
    assert other.json()["conversation"]["id"] != first.json()["conversation"]["id"]
    for mail, answer in ((MAIL, first), ({**MAIL, **change}, other)):
        again = client.post("/v1/emails", json=mail)
        assert (again.status_code, again.json()) == (200, answer.json())
    assert rows(database_url, "emails") == 2


def test_a_mail_whose_id_a_relay_dropped_gets_the_first_answer_flagged(client: TestClient, database_url: str) -> None:
    first = client.post("/v1/emails", json=MAIL).json()
    copy = client.post("/v1/emails", json=NO_ID)
    assert first["duplicate"] is None
    assert (copy.status_code, copy.json()) == (200, {**first, "duplicate": "content"})
    assert rows(database_url, "emails") == 1


@pytest.mark.parametrize("change", [{"from": None}, {"text": " ", "subject": None}])
def test_a_mail_without_id_that_nobody_wrote_or_that_says_nothing_is_never_a_copy(
    client: TestClient, change: dict[str, Any]
) -> None:
    statuses = [client.post("/v1/emails", json={**NO_ID, **change}).status_code for _ in range(2)]
    assert statuses == [201, 201]


def test_the_same_words_after_the_time_are_a_mail_of_their_own(client: TestClient, database_url: str) -> None:
    first = client.post("/v1/emails", json=NO_ID).json()
    engine = create_engine(database_url)
    moment = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=601)
    with engine.begin() as connection:
        connection.execute(text("update emails set created_at = :moment"), {"moment": moment.isoformat(" ")})
    engine.dispose()
    second, third = (client.post("/v1/emails", json=NO_ID) for _ in range(2))
    assert (second.status_code, second.json()["id"] != first["id"]) == (201, True)
    assert (third.status_code, third.json()["id"]) == (200, second.json()["id"])


def test_a_row_of_the_release_before_is_known_by_its_id_and_content(client: TestClient, database_url: str) -> None:
    first = client.post("/v1/emails", json=MAIL).json()
    engine = create_engine(database_url)
    with engine.begin() as connection:
        nothing = "identity = null, content_hash = null, sender_address = null, conversation_id = null"
        connection.execute(text(f"update emails set {nothing}"))
    engine.dispose()
    assert client.post("/v1/emails", json=MAIL).json()["id"] == first["id"]
    assert client.post("/v1/emails", json={**MAIL, "text": "other"}).status_code == 201


@pytest.mark.parametrize("changes", [{}, {"message_id": None}, {"message_id": "<one@x>"}])
def test_two_processes_that_store_the_same_mails_at_once_make_one_row_each(
    database_url: str, tiny_classifier: Classifier, changes: dict[str, Any]
) -> None:
    engine = make_engine(database_url, timeout_seconds=10)
    readers = [Reader(tiny_classifier, make_sessions(engine), auto_threshold=0.9) for _ in range(2)]

    def job(number: int) -> Job:
        fields = {"message_id": f"<{number}@x>", "from": "mina@example.org", "text": f"mail {number}", **changes}
        return Job(Intake(f"mail {number}"), EmailIn(**fields))

    jobs = [job(number) for number in range(30)]
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(readers[0].process, jobs), pool.submit(readers[1].process, jobs[::-1])]
        answers = [answer for future in both for answer in future.result()]
    engine.dispose()
    stored = {answer.email.id for answer in answers if isinstance(answer, Stored) and answer.email is not None}
    assert len(stored) == 30
    assert sum(isinstance(answer, Stored) and answer.created for answer in answers) == 30
    assert rows(database_url, "emails") == 30
