"""The mails that were stored before the full-text index: added to it from the newest to the oldest."""

from __future__ import annotations

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from service.tables import Email

POSTGRESQL = text(
    "insert into mail_words select id, mail_words_of(text) from emails where id < :before and id >= :until"
    " on conflict do nothing"
)
SQLITE_NUMBERS = text(
    "insert into mail_words_numbers (number, email_id)"
    " select :lowest - row_number() over (order by id desc), id"
    " from emails where id < :before and id >= :until and id not in (select email_id from mail_words_numbers)"
)
SQLITE_WORDS = text(
    "insert into mail_words (rowid, words) select number, substr(text, 1, 100000)"
    " from mail_words_numbers join emails on emails.id = email_id where number < :lowest order by number"
)


def position(session: Session) -> str | None:
    """The mails from this id on are in the index; None where all are."""
    found: str | None = session.scalar(text("select before_id from mail_words_backfill"))
    return found


def count_before(session: Session, *, before_id: str) -> int:
    return session.scalar(select(func.count()).select_from(Email).where(Email.id < before_id)) or 0


def add_batch(session: Session, *, before_id: str, size: int) -> int:
    """Add the next `size` mails before this one and keep the position; how many there were, 0 at the end."""
    ids = session.scalars(select(Email.id).where(Email.id < before_id).order_by(Email.id.desc()).limit(size)).all()
    until = ids[-1] if ids else None
    session.execute(text("update mail_words_backfill set before_id = :until"), {"until": until})
    if until is None:
        return 0
    bounds = {"before": before_id, "until": until}
    if session.get_bind().dialect.name == "postgresql":
        session.execute(POSTGRESQL, bounds)
        return len(ids)
    lowest = session.scalar(text("select min(0, coalesce(min(number), 0)) from mail_words_numbers"))
    session.execute(SQLITE_NUMBERS, {**bounds, "lowest": lowest})
    session.execute(SQLITE_WORDS, {"lowest": lowest})
    return len(ids)
