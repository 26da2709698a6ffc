"""The audit: added to and read, never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import uuid_utils
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.tables import AuditEntry


def record(
    session: Session, *, actor: str, action: str, subject: str, details: Mapping[str, Any] | None = None
) -> AuditEntry:
    """Note an act in the transaction that does it: both are kept or neither. details: no customer's words."""
    entry = AuditEntry(
        id=str(uuid_utils.uuid7()),
        actor=actor,
        action=action,
        subject=subject,
        details=dict(details or {}),
        created_at=datetime.now(UTC),
    )
    session.add(entry)
    session.flush()
    return entry


def list_entries(
    session: Session, *, limit: int, before_id: str | None = None, actor: str | None = None, action: str | None = None
) -> Sequence[AuditEntry]:
    """Newest first, by keyset: ids are ordered by time."""
    query = select(AuditEntry).order_by(AuditEntry.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(AuditEntry.id < before_id)
    if actor is not None:
        query = query.where(AuditEntry.actor == actor)
    if action is not None:
        query = query.where(AuditEntry.action == action)
    return session.scalars(query).all()


def entries_of(session: Session, *, actions: Sequence[str], limit: int) -> Sequence[AuditEntry]:
    """Newest first."""
    query = select(AuditEntry).where(AuditEntry.action.in_(actions))
    return session.scalars(query.order_by(AuditEntry.id.desc()).limit(limit)).all()
