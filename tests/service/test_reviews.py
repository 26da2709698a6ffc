from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from service.database import make_engine, make_sessions
from service.dependencies import _actor
from service.queries import reviews as queries
from service.queries.ids import id_prefix
from service.review import due_at, margin
from service.tables import StoredPrediction
from tests.service.test_emails import assert_problem
from tests.service.test_feedback import give, post_mail

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def prediction(*probabilities: float, check: bool | None = None, came: datetime = NOON) -> StoredPrediction:
    return StoredPrediction(
        probabilities={str(n): value for n, value in enumerate(probabilities)},
        order_check=None if check is None else {"swapped_text": "", "passed": check},
        created_at=came,
    )


def execute(url: str, statement: str, **values: Any) -> None:
    engine = make_engine(url, timeout_seconds=10)
    with engine.begin() as connection:
        connection.execute(text(statement), values)
    engine.dispose()


def as_actor(client: TestClient, name: str) -> TestClient:
    """The same service, asked by another agent."""
    client.app.dependency_overrides[_actor] = lambda: name  # type: ignore[attr-defined]
    return client


def take_next(url: str, actor: str) -> list[str]:
    """Claim until nothing is left, as one process of several."""
    engine = make_engine(url, timeout_seconds=30)
    sessions, taken = make_sessions(engine), []
    while True:
        now = datetime.now(UTC)
        with sessions.begin() as session:
            review = queries.claim_next(session, actor=actor, now=now, until=now + timedelta(minutes=15))
            if review is None:
                break
            taken.append(review.email_id)
    engine.dispose()
    return taken


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (prediction(0.5, 0.3, 0.2), 0.2),
        (prediction(0.2, 0.8), 0.6),  # whatever their order
        (prediction(1.0), 1.0),  # a single label
        (prediction(0.9, 0.1, check=False), 0.0),  # the model contradicted itself
        (prediction(0.9, 0.1, check=True), 0.8),
    ],
)
def test_the_margin_is_between_the_two_best_and_nothing_after_a_failed_order_check(
    given: StoredPrediction, expected: float
) -> None:
    assert margin(given) == pytest.approx(expected)


def test_doubt_goes_first_at_one_age_and_age_wins_in_the_end() -> None:
    sure, doubtful = prediction(1.0, 0.0), prediction(0.5, 0.5)
    late_and_doubtful = prediction(0.5, 0.5, came=NOON + timedelta(seconds=61))
    due = [due_at(entry, patience_seconds=60) for entry in (doubtful, sure, late_and_doubtful)]
    assert due == sorted(due)


def test_the_queue_holds_the_mails_for_review_by_when_they_are_due(client: TestClient) -> None:
    mails = [post_mail(client, f"refund the cake {n}") for n in range(6)]
    waiting = {mail["id"] for mail in mails if mail["decision"] == "review"}
    assert waiting
    page = client.get("/v1/review").json()
    assert {row["email"]["id"] for row in page["data"]} == waiting
    assert (page["count"], page["unclaimed"], page["next_cursor"]) == (len(waiting), len(waiting), None)
    due = [row["due_at"] for row in page["data"]]
    assert due == sorted(due)


def test_pages_of_the_queue_follow_each_other(client: TestClient) -> None:
    for n in range(5):
        post_mail(client, f"refund the cake {n}")
    whole = [row["email"]["id"] for row in client.get("/v1/review").json()["data"]]
    seen, cursor = [], None
    while True:
        page = client.get("/v1/review", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [row["email"]["id"] for row in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == whole
    assert len(whole) > 2
    assert_problem(client.get("/v1/review?cursor=9999-99-99T00:00:00.000000_" + whole[0]), 422, "cursor")
    assert_problem(client.get("/v1/review?cursor=x"), 422, "cursor")


def test_next_gives_the_first_in_line_and_never_one_twice(client: TestClient) -> None:
    for n in range(3):
        post_mail(client, f"refund the cake {n}")
    line = [row["email"]["id"] for row in client.get("/v1/review").json()["data"]]
    taken = [client.post("/v1/review/next").json() for _ in line]
    assert [row["email"]["id"] for row in taken] == line
    assert {row["claimed_by"] for row in taken} == {"local"}
    assert client.post("/v1/review/next").status_code == 204
    assert client.get("/v1/review").json()["unclaimed"] == 0


def test_next_with_put_back_passes_what_was_held_to_others_and_goes_on_behind_it(client: TestClient) -> None:
    for n in range(3):
        post_mail(client, f"refund the cake {n}")
    line = [row["email"]["id"] for row in client.get("/v1/review").json()["data"]]
    as_actor(client, "ann")
    for expected in (*line, line[0]):  # all of them in turn, and then from the start again
        assert client.post("/v1/review/next?put_back=true").json()["email"]["id"] == expected
        held = client.get("/v1/review?mine=true").json()
        assert ([row["email"]["id"] for row in held["data"]], held["unclaimed"]) == ([expected], 2)
    as_actor(client, "bo")
    for expected in line[1:]:
        assert client.post("/v1/review/next").json()["email"]["id"] == expected
    as_actor(client, "ann")
    assert client.post("/v1/review/next?put_back=true").status_code == 204
    assert [row["email"]["id"] for row in client.get("/v1/review?mine=true").json()["data"]] == line[:1]


def test_agents_who_ask_at_once_never_get_one_mail(client: TestClient) -> None:
    for n in range(12):
        post_mail(client, f"refund the cake {n}")
    line = {row["email"]["id"] for row in client.get("/v1/review").json()["data"]}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post("/v1/review/next"), range(16)))
    taken = [answer.json()["email"]["id"] for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers} <= {200, 204}
    assert len(taken) == len(set(taken)) == len(line)


def test_processes_that_ask_at_once_never_get_one_mail(client: TestClient, database_url: str) -> None:
    for n in range(12):
        post_mail(client, f"refund the cake {n}")
    line = [row["email"]["id"] for row in client.get("/v1/review").json()["data"]]
    with get_context("spawn").Pool(2) as pool:
        each = pool.starmap(take_next, [(database_url, "ann"), (database_url, "bo")])
    assert sorted(each[0] + each[1]) == sorted(line)


def test_a_mail_that_another_has_is_409_with_who_and_until_when(client: TestClient) -> None:
    mail = post_mail(client)
    held = as_actor(client, "ann").post(f"/v1/review/{mail['id']}/claim").json()
    as_actor(client, "bo")
    for refused in (
        client.post(f"/v1/review/{mail['id']}/claim"),
        client.post(f"/v1/review/{mail['id']}/release"),
        give(client, mail, verdict="accepted"),
    ):
        assert_problem(refused, 409, "ann has this mail until")
        assert refused.json()["claimed_by"] == "ann"
        assert datetime.fromisoformat(refused.json()["claimed_until"]) == datetime.fromisoformat(held["claimed_until"])
    assert give(client, mail, verdict="accepted", force=True).status_code == 201


def test_feedback_ends_the_claim_and_the_wait_and_a_withdrawal_begins_it_again(client: TestClient) -> None:
    mail = post_mail(client)
    first = client.post("/v1/review/next").json()
    give(client, mail, verdict="accepted")
    assert client.get("/v1/review").json()["count"] == 0
    assert_problem(client.post(f"/v1/review/{mail['id']}/claim"), 404, "waits for review")
    give(client, mail, verdict="withdrawn")
    (again,) = client.get("/v1/review").json()["data"]
    assert (again["due_at"], again["claimed_by"]) == (first["due_at"], None)


def test_a_released_mail_is_first_in_line_again(client: TestClient) -> None:
    mail = post_mail(client)
    client.post("/v1/review/next")
    assert client.get("/v1/review", params={"mine": True}).json()["data"][0]["email"]["id"] == mail["id"]
    assert [client.post(f"/v1/review/{mail['id']}/release").status_code for _ in range(2)] == [204, 204]
    assert client.get("/v1/review", params={"mine": True}).json()["data"] == []
    assert client.post("/v1/review/next").json()["email"]["id"] == mail["id"]


def test_a_claim_expires_and_then_another_may_have_the_mail(client: TestClient, database_url: str) -> None:
    post_mail(client)
    as_actor(client, "ann").post("/v1/review/next")
    assert as_actor(client, "bo").post("/v1/review/next").status_code == 204
    execute(database_url, "update reviews set claimed_until = :past", past="2026-01-01 00:00:00")
    row = client.get("/v1/review").json()["data"][0]
    assert (row["claimed_by"], row["claimed_until"]) == (None, None)
    assert client.post("/v1/review/next").json()["claimed_by"] == "bo"


def test_work_on_one_mail_keeps_an_agents_other_claims_alive(client: TestClient, database_url: str) -> None:
    mails = [post_mail(client, f"refund the cake {n}") for n in range(2)]
    as_actor(client, "ann")
    for mail in mails:
        client.post(f"/v1/review/{mail['id']}/claim")
    soon = datetime.now(UTC) + timedelta(minutes=1)
    execute(database_url, "update reviews set claimed_until = :soon", soon=soon.replace(tzinfo=None).isoformat(" "))
    give(client, mails[0], verdict="accepted")
    (kept,) = client.get("/v1/review").json()["data"]
    assert datetime.fromisoformat(kept["claimed_until"]) > soon + timedelta(minutes=10)


@pytest.mark.parametrize("call", ["claim", "release"])
@pytest.mark.parametrize("email_id", ["nothing", "%00"])
def test_what_does_not_wait_cannot_be_claimed(client: TestClient, call: str, email_id: str) -> None:
    assert_problem(client.post(f"/v1/review/{email_id}/{call}"), 404)


def test_mails_that_a_release_without_a_queue_stored_are_put_in_line(client: TestClient, database_url: str) -> None:
    mails = [post_mail(client, f"refund the cake {n}") for n in range(3)]
    give(client, mails[2], verdict="accepted")
    execute(database_url, "delete from reviews")
    with TestClient(client.app) as restarted:  # its housekeeping begins with a round, which ends before it stops
        restarted.get("/healthz")
    assert {row["email"]["id"] for row in client.get("/v1/review").json()["data"]} == {mails[0]["id"], mails[1]["id"]}


def test_ids_of_a_moment_begin_with_its_prefix(client: TestClient) -> None:
    before = id_prefix(datetime.now(UTC) - timedelta(seconds=1))
    mail = post_mail(client)
    assert before < mail["id"] < id_prefix(datetime.now(UTC) + timedelta(seconds=1))
