"""New mails, told to every open inbox of this process, whichever process stored them.

The database is asked by id, once for all listeners and only while there are any. A row may be committed after another
with a higher id, so each look goes some time back and tells what it has not told yet.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from service.queries import emails as queries
from service.queries.ids import first_id

log = logging.getLogger(__name__)

LOOK_BACK = timedelta(seconds=30)  # longer than a batch takes from its ids to its commit
MOST_IDS = 500  # of one look; an inbox that missed more is loaded anew
POLL_SECONDS = 1.0


class Arrivals:
    """One a process; listen() as often as there are open inboxes."""

    def __init__(self, sessions: sessionmaker[Session], *, poll_seconds: float = POLL_SECONDS) -> None:
        self._sessions, self._poll_seconds = sessions, poll_seconds
        self._listeners: set[asyncio.Queue[list[str]]] = set()
        self._task: asyncio.Task[None] | None = None
        self._told: set[str] = set()

    async def listen(self, after_id: str) -> AsyncGenerator[list[str]]:
        """Lists of ids: first those since a little before after_id (some may be known), then new ones as they come."""
        queue: asyncio.Queue[list[str]] = asyncio.Queue()
        self._listeners.add(queue)
        if self._task is None or self._task.done():
            self._told = set()
            self._task = asyncio.create_task(self._poll())
        try:
            missed = await asyncio.to_thread(self._ids, after_id)
            if missed:
                yield missed
            while True:
                yield await queue.get()
        finally:
            self._listeners.discard(queue)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _poll(self) -> None:
        while self._listeners:
            await asyncio.sleep(self._poll_seconds)
            found = await asyncio.to_thread(self._recent)
            new = [email_id for email_id in found if email_id not in self._told]
            self._told = set(found)
            if new:
                for queue in self._listeners:
                    queue.put_nowait(new)

    def _recent(self) -> list[str]:
        return self._ids(first_id(datetime.now(UTC) - LOOK_BACK))

    def _ids(self, since: str) -> list[str]:
        try:
            with self._sessions() as session:
                return list(queries.email_ids_since(session, least_id=since, limit=MOST_IDS))
        except SQLAlchemyError as error:
            log.warning("new mails are not known: %s", type(error).__name__)
            return []
