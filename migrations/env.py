"""Alembic's environment: one connection with lock timeouts, on the URL that the caller sets."""

from __future__ import annotations

from alembic import context
from sqlalchemy import text

from service import tables  # noqa: F401 — fills the metadata
from service.database import Base, make_engine
from service.settings import Settings

LOCK_TIMEOUT_SECONDS = 10.0


def run() -> None:
    url = context.config.attributes.get("database_url") or Settings().database_url
    engine = make_engine(url, timeout_seconds=LOCK_TIMEOUT_SECONDS)
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(7365)"))  # two migrators take turns
        else:
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # all or nothing, and one migrator at a time
        context.configure(
            connection=connection,
            transactional_ddl=True,
            target_metadata=Base.metadata,
            render_as_batch=connection.dialect.name == "sqlite",
            compare_type=True,
        )
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()
