"""API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.orm import Session

from service.tables import ApiKey

TOUCH_EVERY = timedelta(minutes=1)


def _live(now: datetime) -> ColumnElement[bool]:
    return ApiKey.revoked_at.is_(None) & or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)


def add_key(session: Session, *, key: ApiKey) -> None:
    """Raises IntegrityError where the name is taken."""
    session.add(key)
    session.flush()


def key_by_prefix(session: Session, *, prefix: str) -> ApiKey | None:
    return session.scalar(select(ApiKey).where(ApiKey.prefix == prefix))


def key_by_name(session: Session, *, name: str) -> ApiKey | None:
    return session.scalar(select(ApiKey).where(ApiKey.name == name))


def list_keys(session: Session, *, limit: int, before_id: str | None = None) -> Sequence[ApiKey]:
    """Newest first, revoked ones too."""
    query = select(ApiKey).order_by(ApiKey.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(ApiKey.id < before_id)
    return session.scalars(query).all()


def first_live_key(session: Session, *, now: datetime, role: str | None = None) -> ApiKey | None:
    """The oldest key that is neither revoked nor expired."""
    query = select(ApiKey).where(_live(now)).order_by(ApiKey.id).limit(1)
    if role is not None:
        query = query.where(ApiKey.role == role)
    return session.scalar(query)


def revoke_key(session: Session, *, key_id: str, now: datetime) -> bool:
    """False where it was revoked before."""
    statement = update(ApiKey).where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None)).values(revoked_at=now)
    return session.scalar(statement.returning(ApiKey.id)) is not None


def touch_key(session: Session, *, key_id: str, now: datetime) -> None:
    """Note that a key was used, unless that was noted less than a minute ago."""
    stale = or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at <= now - TOUCH_EVERY)
    session.execute(update(ApiKey).where(ApiKey.id == key_id, stale).values(last_used_at=now))
