from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text
from typer.testing import CliRunner

from model.classifier import Classifier
from service.app import create_app
from service.cli.commands import app
from service.database import make_engine, make_sessions
from service.erasure import bears, erase, ids_of_address
from service.settings import Settings
from tests.service.test_emails import assert_problem, rows
from tests.service.test_feedback import another_label, give, span
from tests.service.test_reviews import execute

MARK = "zyzzyva"  # in every field that tells of a customer
WORDS = f"Refund the {MARK} fee, not the {MARK} cake."
MAIL = {
    "message_id": "<1@x>",
    "from": f"Mina <{MARK}@Example.org>",
    "to": [f"help-{MARK}@shop.example"],
    "subject": f"Order {MARK}",
    "text": f"{WORDS}\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <shop@x.example> wrote:\n> {MARK} quoted",
    "metadata": {"note": MARK},
}


def post(client: TestClient, **changed: Any) -> dict[str, Any]:
    response = client.post("/v1/emails", json={**MAIL, **changed})
    assert response.status_code == 201, response.text
    answer: dict[str, Any] = response.json()
    return answer


def whole_database(url: str) -> str:
    engine = create_engine(url)
    with engine.connect() as connection:
        tables = ("emails", "predictions", "feedback")
        found = "".join(str(connection.execute(text(f"select * from {name}")).all()) for name in tables)
    engine.dispose()
    return found


@pytest.fixture
def marked_mail(client: TestClient) -> dict[str, Any]:
    """A mail with everything that can be known of one, corrected with words of an agent."""
    mail = post(client)
    spans = [span("keep", "cake", mail["text"])]
    response = give(client, mail, verdict="corrected", label=another_label(mail), spans=spans, reason=f"asked {MARK}")
    assert response.status_code == 201, response.text
    return mail


def test_an_erased_mail_keeps_its_numbers_and_nothing_else(
    client: TestClient, database_url: str, marked_mail: dict[str, Any]
) -> None:
    assert MARK in whole_database(database_url)
    assert [client.delete(f"/v1/emails/{marked_mail['id']}").status_code for _ in range(2)] == [204, 204]
    assert MARK not in whole_database(database_url)
    after = client.get(f"/v1/emails/{marked_mail['id']}").json()
    assert MARK not in str(after)
    kept = ("id", "message_id", "label", "confidence", "decision", "probabilities", "model_version", "created_at")
    assert {name: after[name] for name in kept} == {name: marked_mail[name] for name in kept}
    assert (after["state"], after["standing_label"]) == ("corrected", another_label(marked_mail))
    assert after["erased_at"] is not None
    assert (after["text"], after["spans"], after["to"], after["metadata"]) == ("", [], [], {})


def test_an_erased_mail_waits_no_more_and_is_not_taken_in_again(client: TestClient, settings: Settings) -> None:
    mail = post(client)
    client.delete(f"/v1/emails/{mail['id']}")
    assert client.get("/v1/review").json()["count"] == 0
    with TestClient(create_app(settings)):
        pass  # the first round of a start, which puts open mails in line, ends before the stop
    assert client.get("/v1/review").json()["count"] == 0
    again = client.post("/v1/emails", json=MAIL)
    assert (again.status_code, again.json()["id"], again.json()["text"]) == (200, mail["id"], "")


def test_of_a_mail_without_text_no_reason_is_kept(client: TestClient, settings: Settings, database_url: str) -> None:
    email_id = client.post("/v1/emails", json=MAIL).json()["id"]
    client.delete(f"/v1/emails/{email_id}")
    with TestClient(create_app(settings.model_copy(update={"text_retention_days": 0}))) as none_kept:
        for known in (email_id, none_kept.post("/v1/emails", json={"text": "refund"}).json()["id"]):
            verdict = {"verdict": "accepted", "reason": MARK}
            answers = [none_kept.post(f"/v1/emails/{known}/feedback", json=verdict) for _ in range(2)]
            assert [answer.status_code for answer in answers] == [201, 200]
            assert answers[0].json()["feedback"][-1]["reason"] is None
    assert MARK not in whole_database(database_url)


@pytest.mark.parametrize("email_id", ["nothing", "%00"])
def test_erasing_no_mail_is_404(client: TestClient, email_id: str) -> None:
    assert_problem(client.delete(f"/v1/emails/{email_id}"), 404)


def test_erased_words_are_in_no_file_of_the_database(tmp_path: Path, tiny_classifier: Classifier) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path}/router.db", require_keys=False)
    assert (
        CliRunner().invoke(app, ["db", "upgrade"], env={"REFUND_ROUTER_DATABASE_URL": settings.database_url}).exit_code
        == 0
    )
    with TestClient(create_app(settings, tiny_classifier)) as client:
        mails = [post(client, message_id=f"<{n}@x>", text=f"{WORDS} {n} " * 300) for n in range(3)]

        def files() -> bytes:
            return b"".join(path.read_bytes() for path in tmp_path.iterdir())

        assert MARK.encode() in files()
        for mail in mails:
            client.delete(f"/v1/emails/{mail['id']}")
        assert MARK.encode() not in files()


@pytest.mark.parametrize(
    ("sender", "recipients", "expected"),
    [
        ("mina@example.org", [], True),
        ("Mina Shah <MINA@Example.ORG>", [], True),
        (None, ["shop@x.example", "Mina <mina@example.org>"], True),
        (None, ["shop@x.example, mina@example.org"], True),  # two in one field
        ('"Shah, Mina" <mina@example.org>', [], True),
        ("amina@example.org", [], False),  # ends alike
        ("mina@example.org.evil.example", [], False),
        ("mina@example.orgx", [], False),
        ('"mina@example.org" <other@x.example>', [], False),  # a name that looks like an address
        (None, [], False),
        ("", ["", "nobody"], False),
    ],
)
def test_an_address_is_matched_whole_and_in_any_case(sender: str | None, recipients: list[str], expected: bool) -> None:
    assert bears("Mina@Example.org", sender, recipients) is expected


@pytest.fixture
def crowd(client: TestClient) -> list[str]:
    """Mails from and to mina@example.org, and others that only look so; the ids of the first."""
    fields: list[dict[str, Any]] = [
        {"from": "mina@example.org"},
        {"from": "amina@example.org"},
        {"from": "x@y.example", "to": ["Mina <MINA@EXAMPLE.ORG>"]},
        {"from": "m_na@example.org"},  # `_` is a sign of LIKE
        {"from": "mina@example.org.x"},
    ]
    ids = [post(client, message_id=f"<{n}@x>", **entry)["id"] for n, entry in enumerate(fields)]
    return [ids[0], ids[2]]


def test_all_mails_of_an_address_are_previewed_and_then_erased(
    client: TestClient, crowd: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.erasure.WINDOW", 2)  # several windows, and several transactions
    monkeypatch.setattr("service.erasure.CHUNK", 1)
    wanted = {"address": "mina@EXAMPLE.org"}
    preview = client.post("/v1/erasures", json={**wanted, "dry_run": True}).json()
    assert (preview["count"], preview["email_ids"], preview["dry_run"]) == (2, crowd, True)
    assert all(mail["erased_at"] is None for mail in client.get("/v1/emails").json()["data"])
    assert client.post("/v1/erasures", json=wanted).json()["count"] == 2
    assert client.post("/v1/erasures", json=wanted).json()["count"] == 0
    erased = {mail["id"] for mail in client.get("/v1/emails").json()["data"] if mail["erased_at"] is not None}
    assert erased == set(crowd)
    entries = client.get("/v1/audit", params={"action": "emails_erased"}).json()["data"]
    assert [(entry["actor"], entry["subject"]) for entry in entries] == [("local", "address")] * 2
    assert {email_id for entry in entries for email_id in entry["details"]["email_ids"]} == set(crowd)
    assert "mina" not in str(entries).lower()


def test_an_address_that_is_not_ascii_is_found_too(client: TestClient, database_url: str) -> None:
    mail = post(client, **{"from": "x@y.example", "to": ["Änne <ÄNNE@Beispiel.example>"]})
    engine = make_engine(database_url, timeout_seconds=10)
    assert ids_of_address(make_sessions(engine), "änne@beispiel.example") == [mail["id"]]
    engine.dispose()


@pytest.mark.parametrize("body", [{"address": "nobody"}, {"address": "a\0@b"}, {}, {"address": "a@b", "all": True}])
def test_a_wrong_erasure_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    assert_problem(client.post("/v1/erasures", json=body), 422)


def test_the_command_erases_by_address_by_id_and_by_age(
    client: TestClient, database_url: str, crowd: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", database_url.replace("+psycopg", ""))

    def command(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["erase", *arguments])

    preview = command("--address", "MINA@example.org", "--preview")
    assert (preview.exit_code, preview.stdout.split()) == (0, crowd)
    assert "2 mails would be erased" in preview.stderr
    assert "1 mails erased" in command("--id", crowd[0]).stderr
    assert "1 mails erased" in command("--address", "MINA@example.org").stderr
    assert "0 mails erased" in command("--expired").stderr
    for wrong in ([], ["--expired", "--id", "x"], ["--address", "mina"], ["--id", crowd[0]]):
        refused = command(*wrong)
        assert refused.exit_code == 2
        assert len(re.findall("^refund-router: .+$", refused.stderr, re.MULTILINE)) == 1
    monkeypatch.setenv("REFUND_ROUTER_TEXT_RETENTION_DAYS", "0")
    assert "3 mails erased" in command("--expired").stderr
    assert all(mail["erased_at"] is not None for mail in client.get("/v1/emails").json()["data"])


def test_the_service_erases_what_is_older_than_the_retention(
    settings: Settings, tiny_classifier: Classifier, database_url: str
) -> None:
    old = "01880000-0000-7000-8000-000000000000"  # made in 2023
    execute(
        database_url,
        "insert into emails (id, recipients, text, details, created_at)"
        " values (:id, '[]', 'old words', '{}', '2023-05-01 10:00:00')",
        id=old,
    )
    execute(
        database_url,
        "insert into predictions (id, email_id, model_version, label, confidence, probabilities, spans, decision,"
        " reasons, truncated, created_at)"
        " values (:id, :id, 'm', 'other', 1, '{\"other\": 1}', '[]', 'auto', '[]', false, '2023-05-01 10:00:00')",
        id=old,
    )
    with TestClient(create_app(settings, tiny_classifier)) as client:
        new = post(client)  # the first round begins with the start and ends before the stop
    with TestClient(create_app(settings, tiny_classifier)) as client:
        assert client.get(f"/v1/emails/{old}").json()["text"] == ""
        assert client.get(f"/v1/emails/{new['id']}").json()["text"] == new["text"]


def test_without_retention_a_mail_is_answered_and_no_word_of_it_stored(
    settings: Settings, tiny_classifier: Classifier, database_url: str
) -> None:
    with TestClient(create_app(settings.model_copy(update={"text_retention_days": 0}), tiny_classifier)) as client:
        answer = post(client)
        assert (answer["text"], answer["from"]) == (f"Subject: {MAIL['subject']}\n\n{WORDS}", MAIL["from"])
        assert MARK not in whole_database(database_url)
        again = client.post("/v1/emails", json=MAIL)
        assert (again.status_code, again.json()["label"], again.json()["text"]) == (200, answer["label"], "")
    assert rows(database_url, "emails") == 1


def test_a_redacted_mail_keeps_the_places_of_its_spans(
    settings: Settings, tiny_classifier: Classifier, database_url: str
) -> None:
    words = "Card 4111 1111 1111 1111, call 07700 900123: refund the fee 118-4402, not the cake"
    with TestClient(create_app(settings, tiny_classifier)) as client:
        plain = post(client, text=words, subject="from mina@example.org")
    changed = settings.model_copy(update={"redact_stored": True})
    with TestClient(create_app(changed, tiny_classifier)) as client:
        mail = post(client, text=words, subject="from mina@example.org", message_id="<2@x>")
        stored = client.get(f"/v1/emails/{mail['id']}").json()
    assert stored == mail
    assert mail["text"].endswith("Card **** **** **** ****, call ***** ******: refund the fee 118-4402, not the cake")
    assert mail["subject"] == "from ****@*******.***"
    assert mail["from"] == MAIL["from"]
    assert [(entry["start"], entry["end"]) for entry in mail["spans"]] == [
        (entry["start"], entry["end"]) for entry in plain["spans"]
    ]
    assert [entry["text"] for entry in mail["spans"]] == [
        mail["text"][entry["start"] : entry["end"]] for entry in plain["spans"]
    ]
    assert (mail["label"], mail["confidence"]) == (plain["label"], pytest.approx(plain["confidence"], abs=1e-5))
    with TestClient(create_app(settings, tiny_classifier)) as client:
        client.delete(f"/v1/emails/{plain['id']}")
    assert "4111" not in whole_database(database_url)


def test_erasing_twice_counts_once(client: TestClient, database_url: str) -> None:
    mail = post(client)
    engine = make_engine(database_url, timeout_seconds=10)
    sessions = make_sessions(engine)
    ids = [mail["id"], "nothing"]
    assert [erase(sessions, ids, actor="ann", why="id").mails for _ in range(2)] == [1, 0]
    engine.dispose()
