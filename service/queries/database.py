"""The database itself: whether it answers, how far it was migrated, and how much it holds."""

from __future__ import annotations

from sqlalchemy import func, inspect, select, text
from sqlalchemy.orm import Session

from service.tables import Email

LOG_MILLISECONDS = 500  # for readers of the log to end


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
    """SQLite: what the write-ahead log holds goes into the file, and the log is cut to nothing. Where a reader is busy
    the next erasure, round of housekeeping or last close does it: while it waits nobody can write."""
    if session.get_bind().dialect.name != "sqlite":
        return
    connection = session.connection()
    milliseconds = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {min(milliseconds, LOG_MILLISECONDS)}")
    try:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {milliseconds}")


def row_counts(session: Session) -> dict[str, int]:
    """By table; those that a database of an older release does not have yet are left out."""
    there = inspect(session.connection()).get_table_names()
    known = [table for table in Email.metadata.sorted_tables if table.name in there]
    return {table.name: session.scalar(select(func.count()).select_from(table)) or 0 for table in known}


def export_snapshot(session: Session) -> str:
    """PostgreSQL: a name under which another connection sees what this transaction sees, while it lasts."""
    name: str = session.execute(text("select pg_export_snapshot()")).scalar_one()
    return name
