"""Keys for the tests, made as the command line makes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import text

from service.access import Role
from service.database import make_engine, make_sessions
from service.issuing import make_key
from service.schemas.keys import KeyIn


def new_key(url: str, role: Role, name: str | None = None, **fields: Any) -> str:
    engine = make_engine(url, timeout_seconds=5)
    with make_sessions(engine).begin() as session:
        _, key = make_key(session, wanted=KeyIn(name=name or f"the-{role}", role=role, **fields), actor="test")
    engine.dispose()
    return key


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def execute(url: str, statement: str, **values: datetime | str) -> list[Any]:
    engine = make_engine(url, timeout_seconds=5)
    try:
        with engine.begin() as connection:
            found = connection.execute(text(statement), values)
            return list(found) if found.returns_rows else []
    finally:
        engine.dispose()
