"""On a full table every list is read by an index: nothing is read whole, and nothing sorted that lies in order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event, text

from service.database import make_engine, make_sessions
from service.queries import emails
from service.queries.ids import first_id
from service.search_words import parse_search
from tests.benchmarks.list_pages import BEGIN, PAGES, fill, filters

MAILS = 8_000
MIDDLE = first_id(BEGIN + timedelta(seconds=MAILS / 2))


@pytest.fixture
def full(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr("service.queries.search.NEAR", 100)  # as little of these mails as NEAR is of millions
    engine = make_engine(database_url, timeout_seconds=60)
    fill(engine, MAILS)
    yield engine
    engine.dispose()


def plans(engine: Engine, **asked: Any) -> list[str]:
    """The plan of each statement by which a page finds its mails; what is said of each comes by the ids found."""
    statements: list[tuple[str, Any]] = []

    def keep(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if "FROM feedback" not in statement:
            statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", keep)
    with make_sessions(engine)() as session:
        emails.list_emails(session, limit=51, **asked)
    event.remove(engine, "before_cursor_execute", keep)
    explain = "explain query plan " if engine.dialect.name == "sqlite" else "explain "
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":  # these mails lie in so few pages that reading all is no loss
            connection.execute(text("set enable_seqscan = off"))
        return [
            "\n".join(str(row[-1]) for row in connection.exec_driver_sql(explain + statement, parameters))
            for statement, parameters in statements
        ]


def test_every_page_is_read_by_indexes(full: Engine) -> None:
    whole = "SCAN emails" if full.dialect.name == "sqlite" else "Seq Scan"
    for name in PAGES:
        for cursor in ({}, {"before_id": MIDDLE}):
            for plan in plans(full, **filters(name), **cursor):
                assert whole not in plan.replace("SCAN emails USING INDEX", ""), f"{name}: {plan}"
                assert "SCAN predictions\n" not in f"{plan}\n", f"{name}: {plan}"
                if "sqlite" in full.dialect.name:
                    assert "TEMP B-TREE" not in plan, f"{name}: {plan}"


def test_a_rare_word_is_found_by_the_full_text_index(full: Engine) -> None:
    with full.connect() as connection:
        count = connection.execute(text("select count(*) from emails where text like '%umbrella%'")).scalar_one()
    with make_sessions(full)() as session:
        assert len(emails.list_emails(session, limit=200, search=parse_search("umbrella"))) == count == 8
    index = "VIRTUAL TABLE INDEX" if full.dialect.name == "sqlite" else "ix_mail_words_words_spans"
    assert index in "".join(plans(full, search=parse_search("umbrella")))
