from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import uuid_utils
from fastapi.testclient import TestClient

from service.console.arrivals import Arrivals
from service.database import make_engine, make_sessions
from service.queries.ids import first_id

FEE = "Refund the fee."


def test_every_id_made_from_a_moment_on_sorts_after_its_first_id() -> None:
    before = str(uuid_utils.uuid7())
    edge = first_id(datetime.now(UTC))
    after = str(uuid_utils.uuid7())
    assert before[:13] <= edge <= after


def test_a_listener_is_told_what_it_missed_and_what_another_process_stores(
    client: TestClient, database_url: str
) -> None:
    """The client's app stores; an Arrivals of its own, as another process has it, only sees the database."""
    first = client.post("/v1/emails", json={"text": FEE}).json()["id"]
    missed = client.post("/v1/emails", json={"text": FEE}).json()["id"]

    async def listen() -> set[str]:
        engine = make_engine(database_url, timeout_seconds=10)
        arrivals = Arrivals(make_sessions(engine), poll_seconds=0.02)
        told: set[str] = set()
        stream = arrivals.listen(first)
        told |= set(await anext(stream))
        assert missed in told
        new = (await asyncio.to_thread(lambda: client.post("/v1/emails", json={"text": FEE}))).json()["id"]
        async with asyncio.timeout(20):
            while new not in told:
                told |= set(await anext(stream))
        await stream.aclose()
        await arrivals.close()
        engine.dispose()
        return told

    assert first in asyncio.run(listen())
