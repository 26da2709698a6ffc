"""Kept views of the inbox."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.tables import SavedView


def list_views(session: Session, *, actor: str) -> Sequence[SavedView]:
    """An agent's own, the oldest first."""
    return session.scalars(select(SavedView).where(SavedView.actor == actor).order_by(SavedView.id)).all()


def view_by_name(session: Session, *, actor: str, name: str) -> SavedView | None:
    return session.scalar(select(SavedView).where(SavedView.actor == actor, SavedView.name == name))


def add_view(session: Session, *, view: SavedView) -> None:
    session.add(view)
    session.flush()


def delete_view(session: Session, *, actor: str, view_id: str) -> bool:
    """False where this agent has no such view."""
    own = delete(SavedView).where(SavedView.actor == actor, SavedView.id == view_id)
    return session.execute(own.returning(SavedView.id)).first() is not None
