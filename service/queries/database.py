"""The database itself: whether it answers, and how far it was migrated."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session


def ping(session: Session) -> None:
    session.execute(text("select 1"))


def migration_revision(session: Session) -> str | None:
    revision: str | None = session.scalar(text("select version_num from alembic_version"))
    return revision


def begin_writing(session: Session) -> None:
    """On SQLite the write lock is taken now, before anything is read that decides what is written. PostgreSQL locks
    the rows themselves (FOR UPDATE)."""
    if session.get_bind().dialect.name != "sqlite":
        return
    connection = session.connection()
    if not connection.connection.dbapi_connection.in_transaction:  # type: ignore[union-attr]
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def forget_log(session: Session) -> None:
    """SQLite: the index of words is merged, for it keeps what was taken out until then; what the write-ahead log holds
    goes into the file, and the log is cut to nothing. Where a reader is busy the next erasure or last close does it."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("insert into mail_words (mail_words) values ('optimize')"))
        session.commit()
        session.connection().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
