"""The full-text index over mails' words. Triggers keep it: a mail whose text is changed or emptied, or whose row is
deleted, is no longer found by its old words."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, column, select, table, text
from sqlalchemy.orm import Session

from service.search_words import Search
from service.tables import StoredPrediction

WORDS = table("mail_words", column("email_id"), column("rowid"), column("words"))
NUMBERS = table("mail_words_numbers", column("number"), column("email_id"))


def searched(
    session: Session, query: Select[Any], *, search: Search, before_id: str | None
) -> tuple[Select[Any], Any, Any]:
    """The query over the mails that hold these words, with the column that it is to be ordered by and the value of it
    at the cursor. On SQLite that is the number of arrival, in the order of which the index lies."""
    if session.get_bind().dialect.name == "postgresql":
        query = query.join(WORDS, WORDS.c.email_id == StoredPrediction.email_id)
        query = query.where(text("mail_words.words @@ to_tsquery('pg_catalog.simple', :search)"))
        return query.params(search=search.tsquery()), WORDS.c.email_id, before_id
    query = query.join(NUMBERS, NUMBERS.c.email_id == StoredPrediction.email_id)
    query = query.join(WORDS, WORDS.c.rowid == NUMBERS.c.number).where(text("mail_words match :search"))
    cursor = select(NUMBERS.c.number).where(NUMBERS.c.email_id == before_id).scalar_subquery()
    return query.params(search=search.fts5()), WORDS.c.rowid, cursor if before_id is not None else None
