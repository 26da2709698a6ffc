from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient

from model.classifier import Classifier
from service.app import create_app
from service.settings import Settings
from tests.service.test_emails import MAIL, assert_problem, rows

BAD = [
    ({"text": 5}, 422, "text"),
    ("no object", 422, "body"),
    (None, 422, "body"),
    ({"text": "x", "colour": "red"}, 422, "colour"),
    ({}, 422, "at least one of subject"),
    ({"text": "\ud800"}, 422, "valid string"),
    ({"html": "<p>" + "w" * 5_000_001}, 422, "html"),
]


def post(client: TestClient, *mails: Any) -> Any:
    body = json.dumps({"emails": mails})  # escapes a lone surrogate, which the client's own encoder would not take
    return client.post("/v1/emails/batch", content=body, headers={"content-type": "application/json"})


def test_each_mail_has_its_own_outcome_in_order_and_a_bad_one_harms_no_other(settings: Settings) -> None:
    roomy = settings.model_copy(update={"max_body_bytes": 10_000_000})
    with TestClient(create_app(roomy), raise_server_exceptions=False) as client:
        mails: list[Any] = [MAIL]
        for number, (bad, _, _) in enumerate(BAD):
            mails += [bad, {"text": f"refund {number}"}]
        response = post(client, *mails)
    assert response.status_code == 207
    outcomes = response.json()["data"]
    assert outcomes[0]["email"]["message_id"] == MAIL["message_id"]
    assert [outcome["status"] for outcome in outcomes[::2]] == [201] * (len(BAD) + 1)
    assert [outcome["email"]["text"] for outcome in outcomes[2::2]] == [f"refund {n}" for n in range(len(BAD))]
    for outcome, (_, status, words) in zip(outcomes[1::2], BAD, strict=True):
        assert (outcome["status"], outcome["problem"]["status"], outcome["email"]) == (status, status, None)
        assert words in outcome["problem"]["detail"]
    assert rows(settings.database_url, "emails") == len(BAD) + 1


def test_a_mail_that_stands_twice_in_a_batch_is_stored_once(client: TestClient, database_url: str) -> None:
    first, second = post(client, MAIL, MAIL).json()["data"]
    assert (first["status"], second["status"]) == (201, 200)
    assert first["email"] == second["email"] == client.get(f"/v1/emails/{first['email']['id']}").json()
    assert rows(database_url, "emails") == 1


def test_a_full_batch_is_taken_and_a_larger_or_empty_one_is_not(client: TestClient, database_url: str) -> None:
    assert {outcome["status"] for outcome in post(client, *[{"text": "x"}] * 256).json()["data"]} == {201}
    assert rows(database_url, "emails") == 256
    assert_problem(post(client, *[{"text": "x"}] * 257), 422, "emails")
    assert_problem(post(client), 422, "emails")
    assert_problem(client.post("/v1/emails/batch", content=b"x", headers={"content-type": "text/plain"}), 415)


class Held:
    """A classifier that reads once, as the start does, and from then on waits at its gate before it reads."""

    def __init__(self, classifier: Classifier) -> None:
        self.classifier, self.gate, self.waits, self.started = classifier, threading.Event(), threading.Event(), False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.classifier, name)

    def predict(self, *arguments: Any, **options: Any) -> Any:
        if self.started:
            self.waits.set()
            assert self.gate.wait(30)
        self.started = True
        return self.classifier.predict(*arguments, **options)


def test_what_the_queue_has_no_room_for_is_429_and_all_of_it_where_none_fits(
    settings: Settings, tiny_classifier: Classifier
) -> None:
    held: Any = Held(tiny_classifier)
    small = settings.model_copy(update={"queue_size": 2, "max_batch": 1})
    with TestClient(create_app(small, held)) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(client.post, "/v1/emails", json={"text": "held"})
        assert held.waits.wait(30)
        partly = pool.submit(post, client, *[{"text": str(number)} for number in range(4)])
        while "refund_router_queue_length_mails 2.0" not in client.get("/metrics").text:
            pass
        refused = post(client, {"text": "a"}, {"text": "b"})
        held.gate.set()
        outcomes = partly.result().json()["data"]
        assert first.result().status_code == 201
    assert_problem(refused, 429, "2 mails are waiting")
    assert refused.headers["retry-after"] == "1"
    assert [outcome["status"] for outcome in outcomes] == [201, 201, 429, 429]
    assert outcomes[3]["problem"]["title"] == "Too Many Requests"
    assert rows(settings.database_url, "emails") == 3


def test_where_the_database_answers_for_none_the_request_is_503(settings: Settings, tmp_path: Any) -> None:
    nothing = settings.model_copy(update={"database_url": f"sqlite:///{tmp_path}/none.db"})
    with TestClient(create_app(nothing), raise_server_exceptions=False) as client:
        refused = post(client, MAIL, {"text": "x"})
        mixed = post(client, MAIL, {"text": 5}).json()["data"]
    assert_problem(refused, 503, "database")
    assert [outcome["status"] for outcome in mixed] == [503, 422]


@pytest.mark.parametrize("emails", [{}, "x", None, 5])
def test_a_body_that_is_no_batch_is_refused(client: TestClient, emails: Any) -> None:
    assert_problem(client.post("/v1/emails/batch", json={"emails": emails}), 422, "emails")
