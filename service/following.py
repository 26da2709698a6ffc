"""A running service follows the database: another model is promoted, and the next batch is read by it."""

from __future__ import annotations

import asyncio
import logging
import threading
from time import monotonic

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from service.metrics import show_model
from service.model_shelf import ModelShelf, UnknownModel
from service.promotion import standing_versions
from service.queries import promotions as queries
from service.reading import Reader

log = logging.getLogger(__name__)

RETRY_SECONDS = 60.0  # before a folder that did not load is tried again: each try reads all of it


class Follower:
    """Swaps the reader's model between two batches; keeps the last good one where the promoted one does not load."""

    def __init__(
        self, reader: Reader, sessions: sessionmaker[Session], shelf: ModelShelf, *, poll_seconds: float
    ) -> None:
        self._reader, self._sessions, self._shelf, self._poll_seconds = reader, sessions, shelf, poll_seconds
        self._lock = threading.Lock()
        self._rejected: set[str] = set()  # versions that fail a critical case, until another promotion is made
        self._newest_number = 0
        self._failed: tuple[str, float] | None = None  # the version, and when it may be tried again
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.problem: str | None = None  # why the promoted model does not serve

    def start(self) -> None:
        self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Waits for a look that is under way: it holds a connection."""
        self._closing.set()
        if self._task is not None:
            await self._task

    async def _work(self) -> None:
        while not self._closing.is_set():
            try:
                async with asyncio.timeout(self._poll_seconds):
                    await self._closing.wait()
            except TimeoutError:
                await asyncio.to_thread(self.follow)

    def follow(self) -> None:
        """Look once which model is to serve, and serve it."""
        with self._lock:
            wanted = self._wanted()
            if not wanted:
                return
            if wanted[-1] == self._reader.classifier.version:
                self._failed = None
                if not self._rejected:
                    self.problem = None
            elif self._failed is None or self._failed[0] != wanted[-1] or monotonic() >= self._failed[1]:
                self._serve_last_good(wanted)

    def reject(self, version: str, why: str) -> bool:
        """Serve the newest version before this one that loads; whether there is one."""
        with self._lock:
            wanted = self._wanted()
            self._rejected.add(version)
            self._serve_last_good([entry for entry in wanted if entry not in self._rejected])
            self.problem = why
            return self._reader.classifier.version != version

    def _wanted(self) -> list[str]:
        """The versions that were promoted, the one to serve last; none where none was or nothing answers."""
        try:
            with self._sessions() as session:
                history = queries.promotions_in_order(session)
        except SQLAlchemyError as error:
            log.warning("which model is to serve is not known: %s", type(error).__name__)
            return []
        if not history:
            return []
        if history[-1].number != self._newest_number:
            self._newest_number = history[-1].number
            self._rejected.clear()
        return [version for version in standing_versions(history, "") if version not in self._rejected]

    def _serve_last_good(self, wanted: list[str]) -> None:
        """The wanted one; where it does not load, the one that serves, or at the start the newest before that loads."""
        for version in reversed(wanted):
            if version == self._reader.classifier.version:
                return
            try:
                classifier = self._shelf.load(version)
            except (UnknownModel, ModelFolderError, OSError) as error:
                log.error("model %s was promoted and does not load: %s", version, error)
                if version == wanted[-1]:
                    self.problem, self._failed = str(error), (version, monotonic() + RETRY_SECONDS)
                continue
            if version == wanted[-1]:
                self.problem, self._failed = None, None
            log.info("model %s serves in place of %s", version, self._reader.classifier.version)
            show_model(version, instead_of=self._reader.classifier.version)
            self._reader.classifier = classifier
            return
