"""Index builds that leave a PostgreSQL table open to reads and writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from alembic import op


def create_index(name: str, table: str, columns: Sequence[Any], **options: Any) -> None:
    """In a revision of its own on PostgreSQL: what came before in the revision is committed by it. One that was broken
    off left an invalid index, which the next try builds anew. It waits for running transactions as long as they run."""
    if op.get_bind().dialect.name != "postgresql":
        op.create_index(name, table, columns, **options)
        return
    with op.get_context().autocommit_block():
        op.execute("set lock_timeout = 0")
        op.execute(f"drop index concurrently if exists {name}")
        op.create_index(name, table, columns, postgresql_concurrently=True, **options)
        op.execute("reset lock_timeout")


def drop_index(name: str, table: str) -> None:
    if op.get_bind().dialect.name != "postgresql":
        op.drop_index(name, table)
        return
    with op.get_context().autocommit_block():
        op.execute("set lock_timeout = 0")
        op.execute(f"drop index concurrently if exists {name}")
        op.execute("reset lock_timeout")
