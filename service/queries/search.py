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


NEAR = 5_000  # newest mails that PostgreSQL looks through one by one


def searched_near(query: Select[Any], *, search: Search, since_id: str | None) -> Select[Any]:
    """PostgreSQL: those of the mails from since_id on that hold these words. A common word fills a page there, and its
    index, which is in no order, would name half of all mails."""
    query = query.join(WORDS, WORDS.c.email_id == StoredPrediction.email_id)
    query = query.where(text("mail_words.words @@ to_tsquery('pg_catalog.simple', :search)"))
    if since_id is not None:
        query = query.where(WORDS.c.email_id >= since_id, StoredPrediction.email_id >= since_id)
    return query.params(search=search.tsquery())


def searched_all(query: Select[Any], *, search: Search, before_id: str | None) -> Select[Any]:
    """PostgreSQL: those of all mails, by the index, whatever the planner thinks: for words that are not common."""
    found = select(WORDS.c.email_id).where(text("mail_words.words @@ to_tsquery('pg_catalog.simple', :search)"))
    if before_id is not None:
        found = found.where(WORDS.c.email_id < before_id)
    ids = found.cte("found").prefix_with("MATERIALIZED")
    return query.join(ids, ids.c.email_id == StoredPrediction.email_id).params(search=search.tsquery())


def id_at_distance(session: Session, *, before_id: str | None) -> str | None:
    """PostgreSQL: the id of the mail that is NEAR mails before this one, or before the newest; None where there are
    fewer."""
    query = select(WORDS.c.email_id).order_by(WORDS.c.email_id.desc()).offset(NEAR).limit(1)
    if before_id is not None:
        query = query.where(WORDS.c.email_id < before_id)
    found: str | None = session.scalar(query)
    return found


def searched_by_number(query: Select[Any], *, search: Search, before_id: str | None) -> Select[Any]:
    """SQLite: in the order of arrival, in which its index lies."""
    query = query.join(NUMBERS, NUMBERS.c.email_id == StoredPrediction.email_id)
    query = query.join(WORDS, WORDS.c.rowid == NUMBERS.c.number).where(text("mail_words match :search"))
    if before_id is not None:
        cursor = select(NUMBERS.c.number).where(NUMBERS.c.email_id == before_id).scalar_subquery()
        query = query.where(WORDS.c.rowid < cursor)
    return query.params(search=search.fts5()).order_by(WORDS.c.rowid.desc())
