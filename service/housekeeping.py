"""What the service does by itself from time to time. Any number of processes may do it at once."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from itertools import islice

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from service import erasure
from service.queries import reviews as review_queries
from service.queries.ids import id_prefix

log = logging.getLogger(__name__)

CHUNK = 1_000  # rows a transaction, so that none is long
WINDOWS = 100  # of CHUNK, or of erasure.WINDOW mails, that one round looks through
FORGET_STEPS = 20  # a round, each some tenths of a second
OVERLAP = timedelta(minutes=10)  # a mail's row may become visible this long after its id was made


class Housekeeping:
    """Rounds with a pause between them, each in a thread. A round looks through so many mails and no more; the next one
    goes on where it stopped, also where the database failed it, which is logged."""

    def __init__(self, sessions: sessionmaker[Session], *, pause_seconds: float, retention_days: int) -> None:
        self._sessions, self._pause_seconds, self._retention = sessions, pause_seconds, timedelta(days=retention_days)
        self._after_id = self._erased_to = ""
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Ends after the round that is running."""
        self._stop.set()
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        while not self._stop.is_set():
            await asyncio.to_thread(self.round)
            try:
                async with asyncio.timeout(self._pause_seconds):
                    await self._stop.wait()
            except TimeoutError:
                continue

    def round(self) -> None:
        """What the database fails of it is logged and holds up nothing else. First what may mend an index that takes
        nothing."""
        for part in (self._forget, self._fill_queue, self._erase_expired):
            try:
                part()
            except SQLAlchemyError as error:
                name = part.__name__.strip("_")
                log.warning("housekeeping: the database failed a round's %s: %s", name, type(error).__name__)

    def _fill_queue(self) -> None:
        """Mails for review that are not in line are put there; from where the last round ended, less an overlap."""
        horizon = id_prefix(datetime.now(UTC) - OVERLAP)
        for _ in range(WINDOWS):
            if self._stop.is_set():
                return
            with self._sessions.begin() as session:
                due, last_id = review_queries.mails_without_review(session, after_id=self._after_id, limit=CHUNK)
                review_queries.add_reviews(session, due=due)
            if last_id is None:
                self._after_id = min(self._after_id, horizon)
                return
            self._after_id = last_id

    def _erase_expired(self) -> None:
        """Mails whose retention has ended lose their texts; from where the last round ended."""
        windows = erasure.ids_before(self._sessions, datetime.now(UTC) - self._retention, self._erased_to)
        for ids, last_id in islice(windows, WINDOWS):
            if erased := erasure.erase(self._sessions, ids, actor="service", why="retention").mails:
                log.info("housekeeping: erased %d mails that are older than %d days", erased, self._retention.days)
            self._erased_to = last_id
            if self._stop.is_set():
                return

    def _forget(self) -> None:
        """What was erased goes from SQLite's full-text index; what is left then in the next rounds."""
        for _ in range(FORGET_STEPS):
            if self._stop.is_set() or erasure.forget(self._sessions, steps=1):
                return
