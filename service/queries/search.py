"""The full-text index over mails' words. Triggers keep it: a mail whose text is changed or emptied, or whose row is
deleted, is no longer found by its old words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, String, any_, bindparam, column, func, select, table, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from service.queries.ids import id_at, milliseconds_of
from service.search_words import Search
from service.tables import Email, StoredPrediction

WORDS = table("mail_words", column("email_id"), column("rowid"), column("words"))
NUMBERS = table("mail_words_numbers", column("number"), column("email_id"))

NEAR = 5_000  # newest mails that PostgreSQL looks through one by one
COMMON = 250  # where as many of these hold the words, a walk through the mails that pass the filters soon fills a page
PART = 1_000  # mails that hold the words, at once
GROWTH = 20  # of the span of time that is looked at next, at most
SPANS = 16  # of the index that cover it, at most: of 65 seconds, 17 minutes, 5 hours, 3 days or 50 days
DIGITS = (8, 7, 6, 5, 4)  # of an id that name such a span
SPAN_NAMES = ", ".join(f"left(mail_words.email_id, {digits})" for digits in reversed(DIGITS))

HOLDS = "mail_words.words @@ to_tsquery('pg_catalog.simple', :search)"
ONE_BY_ONE = f"({HOLDS}) is true"  # of no use to the index, whatever the planner thinks
IN_SPANS = f"array[{SPAN_NAMES}] && cast(:spans as text[])"


def page_of_words(
    session: Session, query: Select[Any], *, limit: int, search: Search, before_id: str | None, since_id: str | None
) -> Sequence[Email]:
    """PostgreSQL: the first mails of the query that hold these words, from before_id back to since_id. The index is in
    no order and would name half of all mails for a common word, so it is asked of one span of time after the other: the
    rarer the words, the longer. What the query asks for besides is looked up by the ids that were found."""
    ids = select(WORDS.c.email_id).order_by(WORDS.c.email_id.desc())
    if before_id is not None:
        ids = ids.where(WORDS.c.email_id < before_id)
    if since_id is not None:
        ids = ids.where(WORDS.c.email_id >= since_id)
    near = ids.limit(NEAR).subquery()
    oldest_id = ids.order_by(None).order_by(WORDS.c.email_id).limit(1).scalar_subquery()
    least, most, count, oldest = session.execute(
        select(func.min(near.c.email_id), func.max(near.c.email_id), func.count(), oldest_id).select_from(near)
    ).one()
    if not count:
        return []
    one_by_one = ids.where(WORDS.c.email_id >= least, text(ONE_BY_ONE)).limit(COMMON)
    found = session.scalars(one_by_one, {"search": search.tsquery()}).all()
    page = passed = _looked_up(session, query, ids=found, limit=limit)
    if len(page) < limit and len(found) == COMMON:
        rest = query.where(StoredPrediction.email_id < found[-1]).limit(limit - len(page))
        return [*page, *session.scalars(searched(rest, search=search, condition=ONE_BY_ONE))]
    end, covered = least, milliseconds_of(most) - milliseconds_of(least)
    while len(page) < limit and end > oldest:
        wanted = 2 * (limit - len(page)) // len(passed) + 1 if passed else GROWTH
        span = max(covered, 1) * min(wanted, GROWTH, PART // max(len(found), 1))
        moment = milliseconds_of(end) - span
        begin = id_at(moment) if moment > milliseconds_of(oldest) else oldest
        found = _found_between(session, search=search, begin=begin, end=end)
        passed = _looked_up(session, query, ids=found, limit=limit - len(page))
        page = [*page, *passed]
        begin = found[-1] if len(found) == PART else begin
        end, covered = begin, milliseconds_of(end) - milliseconds_of(begin)
    return page


def searched(query: Select[Any], *, search: Search, condition: str = HOLDS) -> Select[Any]:
    """PostgreSQL: those of the query's mails that hold these words; for few mails, or words that many hold."""
    query = query.join(WORDS, WORDS.c.email_id == StoredPrediction.email_id)
    return query.where(text(condition)).params(search=search.tsquery())


def _found_between(session: Session, *, search: Search, begin: str, end: str) -> Sequence[str]:
    """The newest ids of mails that hold these words, whatever the planner thinks by the index."""
    query = select(WORDS.c.email_id).where(text(HOLDS))
    parameters: dict[str, Any] = {"search": search.tsquery()}
    for digits in DIGITS:
        first, last = int(begin[:digits], 16), int(end[:digits], 16)
        if last - first < SPANS:
            query = query.where(text(IN_SPANS))
            parameters["spans"] = [f"{number:0{digits}x}" for number in range(first, last + 1)]
            break
    found = query.cte("found").prefix_with("MATERIALIZED")
    newest = select(found.c.email_id).where(found.c.email_id >= begin, found.c.email_id < end)
    return session.scalars(newest.order_by(found.c.email_id.desc()).limit(PART), parameters).all()


def _looked_up(session: Session, query: Select[Any], *, ids: Sequence[str], limit: int) -> list[Email]:
    if not ids:
        return []
    among = StoredPrediction.email_id == any_(bindparam("ids", list(ids), ARRAY(String)))
    return list(session.scalars(query.where(among).limit(limit)))


def searched_by_number(query: Select[Any], *, search: Search, before_id: str | None) -> Select[Any]:
    """SQLite: in the order of arrival, in which its index lies."""
    query = query.join(NUMBERS, NUMBERS.c.email_id == StoredPrediction.email_id)
    query = query.join(WORDS, WORDS.c.rowid == NUMBERS.c.number).where(text("mail_words match :search"))
    if before_id is not None:
        cursor = select(NUMBERS.c.number).where(NUMBERS.c.email_id == before_id).scalar_subquery()
        query = query.where(WORDS.c.rowid < cursor)
    return query.params(search=search.fts5()).order_by(WORDS.c.rowid.desc())
