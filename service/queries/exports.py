"""Whole tables, a piece at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from service.queries.feedback import in_state
from service.tables import Email, Feedback


def exported(*, corrections: bool, since: datetime | None) -> list[ColumnElement[bool]]:
    """What is exported: all mails, or those that stand corrected; since: stored, or corrected, then or later."""
    if not corrections:
        return [] if since is None else [Email.created_at >= since]
    if since is None:
        return [in_state("corrected")]
    lately = select(Feedback.email_id).where(Feedback.verdict == "corrected", Feedback.created_at >= since)
    return [in_state("corrected"), Email.id.in_(lately)]


def count_exported(session: Session, *, where: Sequence[ColumnElement[bool]]) -> int:
    return session.scalar(select(func.count()).select_from(Email).where(*where)) or 0


def exported_page(session: Session, *, where: Sequence[ColumnElement[bool]], after_id: str, limit: int) -> list[Email]:
    """The next mails, the oldest first."""
    query = select(Email).where(Email.id > after_id, *where).order_by(Email.id).limit(limit)
    return list(session.scalars(query))
