"""The database itself: whether it answers, and how far it was migrated."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session


def ping(session: Session) -> None:
    session.execute(text("select 1"))


def migration_revision(session: Session) -> str | None:
    revision: str | None = session.scalar(text("select version_num from alembic_version"))
    return revision
