"""Alembic's environment: one connection, which waits for a lock no longer than LOCK_TIMEOUT_SECONDS, on the URL that
the caller sets. One migrator at a time: the others wait, and find nothing left to do."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any

from alembic import context
from sqlalchemy import Connection, text

from service import tables  # noqa: F401 — fills the metadata
from service.database import Base, make_engine
from service.settings import Settings

LOCK_TIMEOUT_SECONDS = 10.0
TURN_TIMEOUT_SECONDS = 3_600.0  # an index of ten million rows is built in minutes
TURN = 7365  # of PostgreSQL's advisory locks


def migrate(connection: Connection, **options: Any) -> None:
    context.configure(
        connection=connection,
        transactional_ddl=True,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        include_object=_is_ours,
        **options,
    )
    with context.begin_transaction():
        context.run_migrations()


def _is_ours(_: Any, name: str | None, kind: str, reflected: bool, counterpart: Any) -> bool:
    """Whether alembic's check compares it: the tables behind SQLite's full-text index are its own."""
    return not (kind == "table" and reflected and counterpart is None and (name or "").startswith("mail_words"))


def migrate_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")  # all or nothing, and one migrator at a time
    migrate(connection)
    connection.commit()


def migrate_postgresql(connection: Connection) -> None:
    """A transaction a revision. The turn is taken by asking again, for an index that is built concurrently would wait
    for a transaction that waits for it."""
    connection.execute(text("set statement_timeout = 0"))
    deadline = monotonic() + TURN_TIMEOUT_SECONDS
    while not connection.scalar(text(f"select pg_try_advisory_lock({TURN})")):
        connection.commit()
        if monotonic() > deadline:
            raise TimeoutError(f"another migration has been running for {TURN_TIMEOUT_SECONDS:.0f} seconds")
        sleep(0.1)
    connection.commit()
    migrate(connection, transaction_per_migration=True)


def run() -> None:
    url = context.config.attributes.get("database_url") or Settings().database_url
    engine = make_engine(url, timeout_seconds=LOCK_TIMEOUT_SECONDS)
    try:
        with engine.connect() as connection:
            (migrate_sqlite if connection.dialect.name == "sqlite" else migrate_postgresql)(connection)
    finally:
        engine.dispose()  # closes the connection, which gives the turn back


run()
