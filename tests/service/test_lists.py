from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from service.search_words import parse_search, words_of
from tests.service.intake.builder import mail, part
from tests.service.test_emails import assert_problem
from tests.service.test_raw_emails import post

TEXTS = {
    "fee": "Please refund the delivery fee, not the cake. Order A-5513, ₹60.",
    "cake": "Refund the cake, not the delivery fee!",
    "french": "Remboursez le gâteau à la crème, s’il vous plaît",
    "german": "Ich möchte mein Geld zurück: STRASSE 7 und Straße 8",
    "spanish": "¿Dónde está mi envío? Correo: mina@example.org",
    "polish": "Proszę o zwrot opłaty za dostawę",
    "hindi": "मुझे केक का पैसा वापस चाहिए",
    "russian": "Верните деньги за ТОРТ",
    "face": "great😀cake-free",
}


def found(client: TestClient, ids: dict[str, str], q: str) -> list[str]:
    names = {mail_id: name for name, mail_id in ids.items()}
    response = client.get("/v1/emails", params={"q": q})
    assert response.status_code == 200, response.text
    return sorted(names[mail["id"]] for mail in response.json()["data"])


FOUND = [
    ("refund", ["cake", "fee"]),
    ("REFUND delivery", ["cake", "fee"]),
    ('"refund the cake"', ["cake"]),  # side by side, in this order
    ('"the cake', ["cake", "fee"]),  # a quotation mark that is never closed
    ("refund -please", ["cake"]),
    ('fee -"refund the cake"', ["fee"]),
    ("refun", []),  # no part of a word
    ("refun*", ["cake", "fee"]),
    ("refunds", []),  # no stem
    ("5513", ["fee"]),
    ("A-5513", ["fee"]),
    ("₹60", ["fee"]),
    ("creme gateau", ["french"]),
    ("CRÈME", ["french"]),
    ("cre\u0300me", ["french"]),  # the accent as a character of its own
    ("plait", ["french"]),
    ("mochte zuruck", ["german"]),
    ("strasse", ["german"]),
    ("donde envio", ["spanish"]),
    ("mina@example.org", ["spanish"]),
    ("opłaty", ["polish"]),
    ("केक पैसा", ["hindi"]),
    ("торт", ["russian"]),
    ("great", ["face"]),
    ("free", ["face"]),
    ("and or not near", []),  # words as others
    ("the", ["cake", "fee"]),  # no word is left out
]


def test_words_are_found_in_every_language_as_they_are_typed(client: TestClient) -> None:
    ids = {name: client.post("/v1/emails", json={"text": text}).json()["id"] for name, text in TEXTS.items()}
    assert [(q, found(client, ids, q)) for q, _ in FOUND] == FOUND


REFUSED = ["", " ", "-", "-cake", '""', "*", "'", "()", '"', "😀", "\0", "a " * 17, "x" * 201, ":*", "\\", "&|!"]
ODD = ["a' or 1=1 --", 'a" OR b', "a AND", "NEAR(a b)", "a:b", "{a} : b", "^a", "a + b", "a*b*", "!a & | b", "a <-> b"]
ODD += ["a:*", "\\'a", "a\\", "é" * 200, "-a b -", "a\u200bb", "ﬁ a", "\ud7ff a", "1e5 a 0x1 -5", "http://a.b/c?d=e"]


def test_no_search_is_too_odd_and_one_without_a_word_or_with_too_many_is_refused(client: TestClient) -> None:
    client.post("/v1/emails", json={"text": "a b"})
    for q in REFUSED:
        assert_problem(client.get("/v1/emails", params={"q": q}), 422, "q")
    assert [(q, client.get("/v1/emails", params={"q": q}).status_code) for q in ODD] == [(q, 200) for q in ODD]


def test_a_search_is_written_for_both_indexes() -> None:
    search = parse_search('Refund "the Cake" -fee del*')
    assert search.fts5() == '("refund" AND "the cake" AND "del"*) NOT "fee"'
    assert search.tsquery() == "('refund') & ('the' <-> 'cake') & !('fee') & ('del':*)"
    assert words_of("It's 50%-off, Señor_X") == ["it", "s", "50", "off", "senor", "x"]


def test_pages_of_a_search_follow_each_other(client: TestClient) -> None:
    posted = [client.post("/v1/emails", json={"text": f"cake number {n}"}).json()["id"] for n in range(7)]
    client.post("/v1/emails", json={"text": "fee"})
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while cursor is not None:
        page = client.get("/v1/emails", params={"q": "cake", "limit": 3, **cursor}).json()
        seen += [mail["id"] for mail in page["data"]]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None  # type: ignore[assignment]
    assert seen == posted[::-1]


@pytest.mark.parametrize("change", ["update emails set text = ''", "delete from emails"])
def test_a_mail_that_is_erased_is_no_longer_found(client: TestClient, database_url: str, change: str) -> None:
    client.post("/v1/emails", json={"text": "a parrot"})
    kept = client.post("/v1/emails", json={"text": "another parrot"}).json()["id"]
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text(f"{change} where id <> :kept"), {"kept": kept})
        rest = connection.execute(text(f"select * from {_index(database_url)}")).all()
    engine.dispose()
    assert [mail["id"] for mail in client.get("/v1/emails", params={"q": "parrot"}).json()["data"]] == [kept]
    assert client.get("/v1/emails", params={"q": "a"}).json()["data"] == []
    assert len(rest) == (1 if "delete" in change else 2)


def _index(database_url: str) -> str:
    return "mail_words_numbers" if database_url.startswith("sqlite") else "mail_words"


def ids_of(client: TestClient, **filters: Any) -> list[str]:
    response = client.get("/v1/emails", params=filters)
    assert response.status_code == 200, response.text
    return [mail["id"] for mail in response.json()["data"]]


def test_filters_hold_alone_and_together(client: TestClient) -> None:
    mails = [
        {"text": "refund the cake", "from": "Mina <mina@x.example>"},
        {"text": "", "from": "mina@x.example", "message_id": "<2@x>"},
        {"text": "cake", "from": "noor@x.example", "in_reply_to": "<2@x>"},
    ]
    first, second, third = (client.post("/v1/emails", json=mail).json() for mail in mails)
    automatic = post(client, mail(part("cake"), Auto_Submitted="auto-replied")).json()
    assert ids_of(client, sender="MINA@x.example") == [second["id"], first["id"]]
    assert ids_of(client, sender="Mina <mina@x.example>", q="cake") == [first["id"]]
    assert ids_of(client, sender="nobody") == ids_of(client, sender="") == []
    assert ids_of(client, conversation=second["conversation"]["id"]) == [third["id"], second["id"]]
    assert ids_of(client, reason="no_text") == [second["id"]]
    assert ids_of(client, reason="automatic_mail", label="other", decision="review") == [automatic["id"]]
    assert ids_of(client, reason="automatic_mail", decision="auto") == []
    assert ids_of(client, created_from=second["created_at"], created_until=third["created_at"]) == [second["id"]]
    assert ids_of(client, q="cake", created_from=second["created_at"]) == [automatic["id"], third["id"]]
    assert ids_of(client, sender="mina@x.example", cursor=second["id"]) == [first["id"]]


def test_a_filter_that_cannot_be_is_refused(client: TestClient) -> None:
    for name, value in {"reason": "mood", "conversation": "x", "sender": "\0"}.items():
        assert_problem(client.get("/v1/emails", params={name: value}), 422, name)


def test_the_largest_mail_of_all_different_words_is_stored_and_found(client: TestClient) -> None:
    words = " ".join(chr(0x4E00 + n // 9000) + chr(0x5000 + n % 9000) for n in range(300_000))
    assert client.post("/v1/emails", json={"text": f"first {words}"}).status_code == 201
    assert len(ids_of(client, q="first")) == 1
