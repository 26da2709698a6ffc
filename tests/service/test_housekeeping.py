"""Rounds of housekeeping go on where the last one stopped, and none is long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, text

from service.database import make_engine, make_sessions
from service.housekeeping import Housekeeping

MAILS = 7


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url, timeout_seconds=10)
    yield engine
    engine.dispose()


def count(engine: Engine, condition: str) -> int:
    with engine.connect() as connection:
        found: int = connection.execute(text(f"select count(*) from {condition}")).scalar_one()
    return found


def test_a_round_looks_through_so_many_mails_and_the_next_one_goes_on_behind_them(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MAILS):
        assert client.post("/v1/emails", json={"text": "", "message_id": f"<{number}@x>"}).status_code == 201
    with engine.begin() as connection:
        connection.execute(text("delete from reviews"))
    monkeypatch.setattr("service.housekeeping.WINDOWS", 1)
    monkeypatch.setattr("service.housekeeping.CHUNK", 2)
    monkeypatch.setattr("service.erasure.WINDOW", 3)
    housekeeping = Housekeeping(make_sessions(engine), pause_seconds=60, retention_days=0)
    monkeypatch.setattr(housekeeping, "_forget", lambda: None)
    queued, erased = [], []
    for _ in range(4):
        housekeeping._fill_queue()
        queued.append(count(engine, "reviews"))
    for _ in range(4):
        housekeeping._erase_expired()
        erased.append(count(engine, "emails where erased_at is not null"))
    assert (queued, erased) == ([2, 4, 6, 7], [3, 6, 7, 7])

    asked: list[Any] = []
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[3]))
    housekeeping._erase_expired()
    assert len(asked) == 1, "nothing before the last mail is looked at again"
