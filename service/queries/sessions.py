"""Console sessions and one-time links."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, update
from sqlalchemy.orm import Session

from service.tables import ApiKey, ConsoleSession, SignInLink

TOUCH_EVERY = timedelta(minutes=1)


def add_session(session: Session, *, row: ConsoleSession) -> None:
    session.add(row)
    session.flush()


def session_with_key(
    session: Session, *, digest: str, now: datetime, idle: timedelta
) -> tuple[ConsoleSession, ApiKey] | None:
    """A session that has neither ended nor lain idle, with its key whatever that key's state."""
    found = session.execute(
        select(ConsoleSession, ApiKey)
        .join(ApiKey, ApiKey.id == ConsoleSession.key_id)
        .where(
            ConsoleSession.digest == digest, ConsoleSession.expires_at > now, ConsoleSession.last_seen_at > now - idle
        )
    ).one_or_none()
    return None if found is None else (found[0], found[1])


def touch_session(session: Session, *, digest: str, now: datetime) -> None:
    stale = ConsoleSession.last_seen_at <= now - TOUCH_EVERY
    session.execute(update(ConsoleSession).where(ConsoleSession.digest == digest, stale).values(last_seen_at=now))


def end_session(session: Session, *, digest: str) -> None:
    session.execute(delete(ConsoleSession).where(ConsoleSession.digest == digest))


def drop_ended(session: Session, *, now: datetime, idle: timedelta) -> None:
    """Delete the sessions and links that can let nobody in any more."""
    ended = or_(ConsoleSession.expires_at <= now, ConsoleSession.last_seen_at <= now - idle)
    session.execute(delete(ConsoleSession).where(ended))
    session.execute(delete(SignInLink).where(SignInLink.expires_at <= now))


def add_link(session: Session, *, row: SignInLink) -> None:
    session.add(row)
    session.flush()


def use_link(session: Session, *, digest: str, now: datetime) -> ApiKey | None:
    """The key of a link that nobody has used; of two who try at once one gets it."""
    taken = session.scalar(
        update(SignInLink)
        .where(SignInLink.digest == digest, SignInLink.used_at.is_(None), SignInLink.expires_at > now)
        .values(used_at=now)
        .returning(SignInLink.key_id)
    )
    return session.get(ApiKey, taken) if taken is not None else None
