"""Pages of a search are what a look at every mail finds: none lost, none twice, newest first, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.orm import Session

from service.database import make_engine, make_sessions
from service.queries.emails import add_predictions, list_emails
from service.queries.ids import first_id
from service.search_words import parse_search
from service.tables import Email, StoredPrediction

MAILS = 1_500
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = {"cake": 2, "fee": 10, "parrot": 40, "umbrella": 150, "zeppelin": 700}  # every how manieth mail holds it
SEARCHES = [*WORDS, "santa", "nowhere", "fee cake", '"refund the cake"', "parrot -cake", "zep*", "cake -fee -santa"]
LABELS = {"other": 0.7, "refund_fee": 0.28, "no_refund": 0.02}


@dataclass
class Mail:
    id: str
    moment: datetime
    words: set[str]
    label: str
    decision: str
    sender: str

    @property
    def text(self) -> str:
        return " ".join(["refund the cake" if "cake" in self.words else "refund", *sorted(self.words - {"cake"})])

    def stored(self) -> Email:
        prediction = StoredPrediction(
            id=self.id,
            model_version="m",
            label=self.label,
            confidence=1.0,
            probabilities={},
            spans=[],
            decision=self.decision,
            reasons=["truncated"] if self.sender == "c1@x.example" else [],
            truncated=False,
            created_at=self.moment,
        )
        return Email(
            id=self.id,
            recipients=[],
            text=self.text,
            details={},
            sender_address=self.sender,
            created_at=self.moment,
            prediction=prediction,
        )

    def is_found(self, search: str) -> bool:
        if not self.words:
            return False
        wanted = {"fee cake": {"fee", "cake"}, '"refund the cake"': {"cake"}, "zep*": {"zeppelin"}}
        wanted |= {"parrot -cake": {"parrot"}, "cake -fee -santa": {"cake"}}
        unwanted = {"parrot -cake": {"cake"}, "cake -fee -santa": {"fee", "santa"}}
        return wanted.get(search, {search}) <= self.words and not unwanted.get(search, set()) & self.words


def mails(random: Random) -> list[Mail]:
    """With a burst, a silence of months, and a word of half the mails long ago that nobody writes any more."""
    moment, made = BEGIN, []
    for number in range(MAILS):
        silence = timedelta(days=90) if number == MAILS // 3 else timedelta(seconds=random.expovariate(1 / 900))
        moment += timedelta(milliseconds=random.randrange(2)) if 600 < number < 800 else silence
        words = {word for word, every in WORDS.items() if random.randrange(every) == 0} | {"and"}
        if number < MAILS // 3 and random.random() < 0.5:
            words.add("santa")
        mail_id = f"{first_id(moment)[:15]}{number % 4096:03x}-8000-{number:012x}"  # in order within a millisecond too
        label = random.choices(list(LABELS), list(LABELS.values()))[0]
        decision = random.choice(["auto", "review"])
        made.append(Mail(mail_id, moment, words, label, decision, f"c{random.randrange(9)}@x.example"))
    return made


@pytest.fixture
def engine(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """With so little in each step that a search takes every one of them."""
    for name, value in {"NEAR": 60, "COMMON": 12, "PART": 10, "GROWTH": 4, "SPANS": 3, "DIGITS": (8, 7, 6)}.items():
        monkeypatch.setattr(f"service.queries.search.{name}", value)
    engine = make_engine(database_url, timeout_seconds=60)
    yield engine
    engine.dispose()


def stored(session: Session, random: Random) -> list[Mail]:
    """Some of them were erased and some written anew since, which takes them out of the order of arrival on disk."""
    made = mails(random)
    add_predictions(session, rows=[mail.stored() for mail in made])
    for mail in random.sample(made, MAILS // 5):
        mail.words = set() if random.random() < 0.5 else mail.words ^ {random.choice(list(WORDS))}
        changed = {"id": mail.id, "text": mail.text if mail.words else ""}
        session.execute(text("update emails set text = :text where id = :id"), changed)
    return made


def asked(random: Random, made: list[Mail]) -> tuple[dict[str, Any], list[Mail]]:
    """Filters besides the words, and the mails that pass them."""
    filters: dict[str, Any] = {}
    if random.random() < 0.5:
        filters["label"] = random.choice(list(LABELS))
    if random.random() < 0.2:
        filters["decision"] = "review"
    if random.random() < 0.2:
        filters["reason"] = "truncated"
    if random.random() < 0.1:
        filters["sender"] = "c2@x.example"
    if random.random() < 0.1:
        filters["email_ids"] = [mail.id for mail in random.sample(made, 200)]
    if random.random() < 0.2:
        filters["state"] = "open"
    if random.random() < 0.3:
        filters["created_from"] = random.choice(made).moment
    if random.random() < 0.3:
        filters["created_until"] = random.choice(made).moment
    passed = [
        mail
        for mail in made
        if filters.get("label", mail.label) == mail.label
        and filters.get("decision", mail.decision) == mail.decision
        and ("reason" not in filters or mail.sender == "c1@x.example")
        and filters.get("sender", mail.sender) == mail.sender
        and mail.id in filters.get("email_ids", [mail.id])
        and filters.get("created_from", mail.moment) <= mail.moment
        and ("created_until" not in filters or mail.moment < filters["created_until"])
    ]
    return filters, passed


@pytest.mark.parametrize("seed", range(2))
def test_pages_of_a_search_are_what_a_look_at_every_mail_finds(engine: Engine, seed: int) -> None:
    random = Random(seed)
    with make_sessions(engine).begin() as session:
        made = stored(session, random)
    statements: set[str] = set()
    event.listen(engine, "before_cursor_execute", lambda *arguments: statements.add(arguments[2]))
    with make_sessions(engine)() as session:
        for search in SEARCHES * 2:
            filters, passed = asked(random, made)
            expected = [mail.id for mail in reversed(passed) if mail.is_found(search)]
            limit, cursor, seen = random.choice([5, 20, 201]), None, []
            while len(page := _page(session, limit, cursor, search, filters)) == limit:
                seen += page
                cursor = page[-1]
            assert [*seen, *page] == expected, f"{search} {filters} by {limit}"
    if engine.dialect.name == "postgresql":
        assert any("AS MATERIALIZED" in statement and " && " in statement for statement in statements), "spans"
        assert any("AS MATERIALIZED" in statement and " && " not in statement for statement in statements), "all of it"
        assert any("JOIN mail_words" in statement and "is true" in statement for statement in statements), "common"


def _page(session: Session, limit: int, cursor: str | None, search: str, filters: dict[str, Any]) -> list[str]:
    found = list_emails(session, limit=limit, before_id=cursor, search=parse_search(search), **filters)
    return [mail.id for mail in found]
