"""When mail came last, and what waits for a person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.tables import Email, Review


def newest_mail(session: Session) -> datetime | None:
    return session.scalar(select(Email.created_at).order_by(Email.id.desc()).limit(1))


def review_backlog(session: Session) -> tuple[int, datetime | None]:
    """How many mails wait for review, and when the oldest of them came; (0, None) where none waits."""
    count, oldest = session.execute(select(func.count(Review.email_id), func.min(Review.email_id))).one()
    if not count:
        return 0, None
    return count, session.scalar(select(Email.created_at).where(Email.id == oldest))
