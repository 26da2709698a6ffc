from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from service.conversations import MENTIONS, mentions, root
from service.schemas.emails import EmailIn
from tests.service.intake.builder import mail, part
from tests.service.test_raw_emails import post

FEE = "Refund the delivery fee, not the cake."


def send(client: TestClient, message_id: str | None, **fields: Any) -> dict[str, Any]:
    body = {"message_id": message_id, "from": "mina@example.org", "text": f"{FEE} {message_id}", **fields}
    answer: dict[str, Any] = client.post("/v1/emails", json=body).json()
    return answer


def previous(answer: dict[str, Any]) -> list[str]:
    return [found["id"] for found in answer["conversation"]["previous"]]


def test_a_reply_shows_the_labels_of_the_mails_before_it_newest_first(client: TestClient) -> None:
    first = send(client, "<1@x>")
    second = send(client, "<2@x>", in_reply_to="<shop@s>", references=["<1@x>", "<shop@s>"])
    third = send(client, "<3@x>", in_reply_to="<2@x>")
    assert first["conversation"]["previous"] == []
    assert previous(second) == [first["id"]]
    assert previous(third) == [second["id"], first["id"]]
    assert third["conversation"]["previous"][0] == {
        key: second[key] for key in ("id", "label", "decision", "created_at")
    }
    assert {mail["conversation"]["id"] for mail in (first, second, third)} == {first["conversation"]["id"]}
    for answer in (first, second, third):
        assert client.get(f"/v1/emails/{answer['id']}").json() == answer
    assert client.get("/v1/emails").json()["data"] == [third, second, first]


def test_mails_that_answer_the_same_unknown_message_are_one_conversation(client: TestClient) -> None:
    first = send(client, "<1@x>", in_reply_to="<shop@s>")
    second = send(client, "<2@x>", references=["<older@s>", "<shop@s>"])
    assert previous(second) == [first["id"]]


def test_a_mail_that_comes_after_its_answer_joins_it(client: TestClient) -> None:
    answered = send(client, "<2@x>", in_reply_to="<1@x>")
    assert previous(send(client, "<1@x>")) == [answered["id"]]


def test_mails_that_mention_nothing_in_common_stay_apart(client: TestClient) -> None:
    answers = [send(client, "<1@x>"), send(client, "<2@x>", in_reply_to="<other@s>"), send(client, None)]
    assert len({answer["conversation"]["id"] for answer in answers}) == 3
    assert [previous(answer) for answer in answers] == [[], [], []]


def test_a_reply_to_a_mail_of_the_release_before_finds_it(client: TestClient, database_url: str) -> None:
    first = send(client, "<1@x>")
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("update emails set conversation_id = null, identity = null, content_hash = null"))
    engine.dispose()
    assert client.get(f"/v1/emails/{first['id']}").json()["conversation"] is None
    assert previous(send(client, "<2@x>", in_reply_to="<1@x>")) == [first["id"]]


def test_raw_mails_are_threaded_by_their_headers(client: TestClient) -> None:
    first = post(client, mail(part("one"), Message_ID="<1@x>")).json()
    headers = {"Message_ID": "<2@x>", "In_Reply_To": "<shop@s>", "References": "<1@x> <shop@s>"}
    assert previous(post(client, mail(part("two"), **headers)).json()) == [first["id"]]


def test_a_long_conversation_names_its_last_ten_mails(client: TestClient) -> None:
    answers = [send(client, f"<{n}@x>", references=["<0@s>"]) for n in range(13)]
    assert previous(answers[-1]) == [answer["id"] for answer in answers[-2:-12:-1]]


@pytest.mark.parametrize("count", [0, 1, 49, 50, 400])
def test_the_thread_s_first_id_and_the_last_ones_are_followed(count: int) -> None:
    references = [f"<{n}@x>" for n in range(count)]
    found = EmailIn(message_id="<own@x>", text="x", references=[*references, "<own@x>"])
    followed = mentions(found)
    assert len(followed) <= MENTIONS
    assert set(references[:1] + references[-40:]) <= set(followed)
    assert "<own@x>" not in followed
    assert root(found) == (references[0] if references else "<own@x>")
