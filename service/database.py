"""The engine and its manners: SQLite durable and concurrent, PostgreSQL with timeouts."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Dialect, Engine, MetaData, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.types import DateTime, TypeDecorator

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


POOL_SIZE = 5
IDLE_SECONDS = 60
RECYCLE_SECONDS = 1_800  # what stands between may drop a connection that is silent for longer


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no zone, so it is dropped on the way in and put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 — the base class names it
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def make_engine(url: str, *, timeout_seconds: float, pool_size: int = POOL_SIZE) -> Engine:
    """SQLite: write-ahead log, synchronous FULL (a committed row survives a power cut), what is deleted is overwritten.
    PostgreSQL: a limit on how long a statement runs, a lock, a connection or its place in the pool is waited for, and a
    transaction lies idle."""
    if make_url(url).get_backend_name() == "sqlite":
        if database := make_url(url).database:
            Path(database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(
            url,
            hide_parameters=True,
            connect_args={"timeout": timeout_seconds},
            pool_size=pool_size,
            pool_timeout=timeout_seconds,
        )
        event.listen(engine, "connect", _prepare_sqlite)
        if database:
            _SqliteFile(database).watch(engine)
        return engine
    limits = {
        "statement_timeout": int(timeout_seconds * 1_000),
        "lock_timeout": int(timeout_seconds * 1_000),
        "idle_in_transaction_session_timeout": int(max(timeout_seconds, IDLE_SECONDS) * 1_000),
    }
    arguments = {
        "application_name": "refund-router",
        "connect_timeout": max(2, int(timeout_seconds)),
        "keepalives_idle": IDLE_SECONDS,  # a server that is gone without a word is noticed
        "options": " ".join(f"-c {name}={milliseconds}" for name, milliseconds in limits.items()),
    }
    return create_engine(
        url,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_recycle=RECYCLE_SECONDS,
        pool_timeout=timeout_seconds,
        connect_args=arguments,
    )


def _prepare_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


class _SqliteFile:
    """Sees to it that an engine's connections are to the file that bears the name now. One that was taken away, or that
    another took the place of, goes on taking rows, which nobody finds again; and SQLite would make an empty one."""

    def __init__(self, path: str) -> None:
        self._path, self._was_there = path, False

    def watch(self, engine: Engine) -> None:
        event.listen(engine, "do_connect", self._before_connect)
        event.listen(engine, "connect", self._connected)  # after _prepare_sqlite, which makes a new file
        event.listen(engine, "checkout", self._taken_from_pool)

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _before_connect(self, *_: Any) -> None:
        if self._was_there and self._identity() is None:
            raise sqlite3.OperationalError("the database's file is gone")

    def _connected(self, _: Any, record: Any) -> None:
        record.info["file"] = self._identity()
        self._was_there = self._was_there or record.info["file"] is not None

    def _taken_from_pool(self, _: Any, record: Any, __: Any) -> None:
        if record.info["file"] != self._identity():
            raise InvalidatePoolError("the database's file is gone, or is another one")


def make_sessions(engine: Engine) -> sessionmaker[Session]:
    return sessionmaker(engine, expire_on_commit=False)
