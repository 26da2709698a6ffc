from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from model.config import LABELS
from tests.service.secured import execute
from tests.service.test_emails import assert_problem, rows

FEE = "Refund the fee, not the cake."


def post_mail(client: TestClient, words: str = FEE) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/v1/emails", json={"text": words}).json()
    return answer


def give(client: TestClient, mail: dict[str, Any], **feedback: Any) -> Any:
    return client.post(f"/v1/emails/{mail['id']}/feedback", json=feedback)


def another_label(mail: dict[str, Any]) -> str:
    return next(label for label in LABELS if label != mail["label"])


def span(role: str, words: str, inside: str = FEE) -> dict[str, Any]:
    return {"role": role, "start": inside.index(words), "end": inside.index(words) + len(words)}


def test_a_new_mail_is_open_and_the_models_words_stand(client: TestClient) -> None:
    mail = post_mail(client)
    assert (mail["state"], mail["standing_label"], mail["feedback"]) == ("open", mail["label"], [])
    assert mail["standing_spans"] == [{k: s[k] for k in ("role", "start", "end")} for s in mail["spans"]]


def test_an_accepted_mail_says_who_and_when_and_keeps_its_label(client: TestClient) -> None:
    mail = post_mail(client)
    response = give(client, mail, verdict="accepted", reason="seen on the invoice")
    assert response.status_code == 201
    answer = response.json()
    assert (answer["state"], answer["standing_label"]) == ("accepted", mail["label"])
    (verdict,) = answer["feedback"]
    assert (verdict["number"], verdict["actor"], verdict["reason"]) == (1, "local", "seen on the invoice")
    assert verdict["created_at"] >= mail["created_at"]


def test_a_correction_stands_and_the_first_prediction_is_never_changed(client: TestClient) -> None:
    mail = post_mail(client)
    label, spans = another_label(mail), [span("keep", "cake"), span("refund", "fee")]
    assert give(client, mail, verdict="corrected", label=label, spans=spans).status_code == 201
    after = client.get(f"/v1/emails/{mail['id']}").json()
    predicted = ("label", "confidence", "probabilities", "spans", "decision", "reasons", "order_check", "created_at")
    assert {name: after[name] for name in predicted} == {name: mail[name] for name in predicted}
    assert (after["state"], after["standing_label"]) == ("corrected", label)
    assert after["standing_spans"] == [span("refund", "fee"), span("keep", "cake")]  # in the order of the text


def test_a_correction_of_the_label_alone_judges_no_words(client: TestClient, database_url: str) -> None:
    mail = post_mail(client)
    label, models = another_label(mail), mail["standing_spans"]
    assert models, "the tiny model marks something"
    after = give(client, mail, verdict="corrected", label=label).json()
    assert (after["standing_spans"], after["feedback"][-1]["spans_judged"]) == (models, False)
    right = give(client, mail, verdict="corrected", label=label, spans=models)
    assert (right.status_code, right.json()["feedback"][-1]["spans_judged"]) == (201, True)
    assert give(client, mail, verdict="accepted").json()["feedback"][-1]["spans_judged"] is True
    give(client, mail, verdict="corrected", label=label)
    execute(database_url, "update feedback set spans_judged = null")  # as the release before writes
    history = client.get(f"/v1/emails/{mail['id']}").json()["feedback"]
    assert [row["spans_judged"] for row in history] == [False, False, True, False]


def test_an_undo_is_a_row_too_and_the_mail_is_open_again(client: TestClient, database_url: str) -> None:
    mail = post_mail(client)
    give(client, mail, verdict="corrected", label=another_label(mail))
    after = give(client, mail, verdict="withdrawn").json()
    assert [row["verdict"] for row in after["feedback"]] == ["corrected", "withdrawn"]
    assert (after["state"], after["standing_label"]) == ("open", mail["label"])
    assert_problem(give(client, mail, verdict="withdrawn"), 409, "no verdict stands")
    assert rows(database_url, "feedback") == 2
    entries = client.get("/v1/audit").json()["data"]
    assert [(entry["action"], entry["subject"]) for entry in entries] == [
        ("feedback_withdrawn", mail["id"]),
        ("feedback_corrected", mail["id"]),
    ]


def test_a_key_that_was_struck_twice_makes_one_row(client: TestClient, database_url: str) -> None:
    mail = post_mail(client)
    answers = [give(client, mail, verdict="accepted") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json() == answers[1].json()
    assert rows(database_url, "feedback") == 1


def test_verdicts_at_once_are_all_kept_and_numbered(client: TestClient) -> None:
    mail = post_mail(client)
    with ThreadPoolExecutor(6) as pool:
        given = list(pool.map(lambda n: give(client, mail, verdict="accepted", reason=str(n)), range(6)))
    assert [answer.status_code for answer in given] == [201] * 6
    history = client.get(f"/v1/emails/{mail['id']}").json()["feedback"]
    assert [row["number"] for row in history] == [1, 2, 3, 4, 5, 6]
    assert {row["reason"] for row in history} == set("012345")


def test_the_list_is_filtered_by_the_state_that_stands(client: TestClient) -> None:
    mails = [post_mail(client, f"mail {n}") for n in range(4)]
    give(client, mails[0], verdict="accepted")
    give(client, mails[1], verdict="corrected", label=another_label(mails[1]))
    give(client, mails[2], verdict="corrected", label=another_label(mails[2]))
    give(client, mails[2], verdict="withdrawn")
    give(client, mails[1], verdict="corrected", label=another_label(mails[1]), reason="twice")

    def ids(state: str) -> list[str]:
        return [mail["id"] for mail in client.get("/v1/emails", params={"state": state}).json()["data"]]

    assert ids("accepted") == [mails[0]["id"]]
    assert ids("corrected") == [mails[1]["id"]]
    assert ids("open") == [mails[3]["id"], mails[2]["id"]]
    assert_problem(client.get("/v1/emails?state=done"), 422, "state")


@pytest.mark.parametrize(
    ("feedback", "words"),
    [
        ({"verdict": "perhaps"}, ("verdict",)),
        ({"verdict": "corrected", "label": "refund_moon"}, ("label", "refund_moon", "refund_item")),
        ({"verdict": "corrected", "spans": [{"role": "refund", "start": 3, "end": 99}]}, ("spans.0.end", "99", "29")),
        ({"verdict": "corrected", "spans": [{"role": "refund", "start": 5, "end": 5}]}, ("spans.0.end", "5")),
        ({"verdict": "corrected", "spans": [{"role": "refund", "start": -1, "end": 5}]}, ("spans.0.start",)),
        ({"verdict": "corrected", "spans": [{"role": "refund", "start": 6, "end": 10}]}, ("spans.0", "space")),
        ({"verdict": "corrected", "spans": [{"role": "gift", "start": 0, "end": 3}]}, ("spans.0.role",)),
        # the same words twice, whatever their order and role
        ({"verdict": "corrected", "spans": [span("keep", "fee"), span("refund", "the fee")]}, ("spans.0", "spans.1")),
        ({"verdict": "corrected", "spans": [span("refund", "fee")] * 2}, ("overlaps",)),
        ({"verdict": "corrected", "spans": [span("refund", "fee")] * 201}, ("spans",)),
        ({"verdict": "corrected"}, ("accepted, not corrected",)),
        ({"verdict": "accepted", "spans": [span("refund", "Refund")]}, ("corrected, not accepted",)),
        ({"verdict": "withdrawn", "label": "other"}, ("neither label nor spans",)),
        ({"verdict": "accepted", "reason": "a\0b"}, ("reason", "NUL")),
        ({"verdict": "accepted", "colour": "red"}, ("colour",)),
    ],
)
def test_a_verdict_that_cannot_be_is_refused_in_words_and_stores_nothing(
    client: TestClient, database_url: str, feedback: dict[str, Any], words: tuple[str, ...]
) -> None:
    assert_problem(give(client, post_mail(client), **feedback), 422, *words)
    assert rows(database_url, "feedback") == 0


@pytest.mark.parametrize("email_id", ["nothing", "%00"])
def test_feedback_on_no_mail_is_404(client: TestClient, email_id: str) -> None:
    assert_problem(client.post(f"/v1/emails/{email_id}/feedback", json={"verdict": "accepted"}), 404)


def test_offsets_count_characters_also_beyond_the_basic_plane(client: TestClient) -> None:
    words = "🎂🎂 Refund the fee"
    mail = post_mail(client, words)
    after = give(client, mail, verdict="corrected", spans=[span("replace", "Refund the fee", words)]).json()
    assert after["standing_spans"] == [{"role": "replace", "start": 3, "end": 17}]


def test_a_mail_that_is_deleted_takes_its_verdicts_with_it(client: TestClient, database_url: str) -> None:
    give(client, post_mail(client), verdict="accepted")
    engine = create_engine(database_url)
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.execute(text("pragma foreign_keys=on"))
        connection.execute(text("delete from emails"))
    engine.dispose()
    assert rows(database_url, "feedback") == 0
