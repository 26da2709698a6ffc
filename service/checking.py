"""Suites in a running service: at its start, on a schedule, on request. One background thread, so that mail goes on."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from model.checks.schema import Suite
from model.classifier import Classifier
from service.errors import Conflict, NotFound
from service.model_shelf import ModelShelf, UnknownModel
from service.queries import checks as queries
from service.reading import Reader
from service.recording import Stopped, Trigger, announce, show_kept
from service.start_check import StartCheck
from service.suite_runs import SuiteRuns
from service.tables import SuiteRun

log = logging.getLogger(__name__)

ABANDONED_AFTER = timedelta(hours=6)  # a run that is older and still `running` was left by a process that ended
RETRY_SECONDS = 600.0
TICK_SECONDS = 60.0  # how often the schedule is looked at
SERVICE = "the service"


class Checker:
    """Runs suites one after another in one thread; each run and case goes to the database."""

    def __init__(
        self,
        reader: Reader,
        sessions: sessionmaker[Session],
        shelf: ModelShelf,
        runs: SuiteRuns,
        start_check: StartCheck,
    ) -> None:
        self._reader, self._sessions, self._shelf = reader, sessions, shelf
        self._runs, self._start_check = runs, start_check
        self._has_schedule = start_check.is_open or bool(runs.every)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="suites")
        self._closing = asyncio.Event()
        self._schedule: asyncio.Task[None] | None = None
        self._waiting: dict[tuple[str, str, str], SuiteRun] = {}  # by suite, its hash and the model's version
        self._queueing = threading.Lock()
        self._retry_at = 0.0  # by the monotonic clock: a run that broke is not repeated at every tick

    @property
    def not_ready(self) -> str | None:
        """Why no mail should come; None where it may."""
        return self._start_check.not_ready

    def start(self) -> None:
        self._pool.submit(self._guarded, self._show_kept)
        if self._start_check.is_open:
            self._pool.submit(self._guarded, self._check_start)
        self._schedule = asyncio.create_task(self._keep_schedule())

    async def close(self) -> None:
        """The run that is under way stops at its next batch and is kept as an error."""
        self._runs.stop()
        self._closing.set()
        if self._schedule is not None:
            await self._schedule
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=False)

    def submit(self, names: Sequence[str], version: str | None, *, trigger: Trigger, actor: str) -> list[SuiteRun]:
        """Announce runs of the suites, on the serving model or another, and run them when their turn comes. One that
        waits for its turn already is not announced again, but given."""
        suites = self._runs.suites(names)
        classifier = self._reader.classifier
        if version is not None and version not in (classifier.version, classifier.card.version):
            try:
                classifier = self._shelf.load(version)
            except UnknownModel as error:
                raise NotFound(str(error)) from None
            except ModelFolderError as error:
                raise Conflict(str(error)) from None
        version = classifier.version
        places = {(suite.name, suite.sha256, version): suite for suite in suites}
        with self._queueing:
            new = [suite for place, suite in places.items() if place not in self._waiting]
            runs = announce(self._sessions, new, model_version=version, trigger=trigger, actor=actor)
            self._waiting |= {(run.suite, run.suite_sha256, version): run for run in runs}
            for run, suite in zip(runs, new, strict=True):
                self._pool.submit(self._guarded, partial(self._take_turn, run, suite, classifier))
            return [self._waiting[place] for place in places]

    def waiting_ids(self) -> frozenset[str]:
        """Runs that were announced here and whose turn has not come."""
        with self._queueing:
            return frozenset(run.id for run in self._waiting.values())

    def _take_turn(self, run: SuiteRun, suite: Suite, classifier: Classifier) -> None:
        with self._queueing:
            del self._waiting[run.suite, run.suite_sha256, run.model_version]
        self._runs.execute(run, suite, classifier)

    def _check_start(self) -> None:
        """The verdict first, then what no run of these very files stands for yet."""
        for classifier in self._start_check.find():
            self._run_what_is_due(classifier, trigger="startup")

    def _run_what_is_due(self, classifier: Classifier, *, trigger: Trigger) -> None:
        """Of several processes one does it; the others find its results, or look again at the next tick."""
        suites, since = self._runs.suites(), self._runs.horizon()
        if monotonic() < self._retry_at or not self._runs.due(suites, classifier.version, since=since):
            return
        self._retry_at = monotonic() + RETRY_SECONDS
        self._runs.run_due(suites, classifier, since=since, trigger=trigger, actor=SERVICE)
        self._retry_at = 0.0

    def _guarded(self, work: Callable[[], object]) -> None:
        """Nobody waits for what runs in the background, so what goes wrong is logged here."""
        try:
            work()
        except Stopped:
            log.info("a suite's run was ended: the service stops")
        except Exception as error:
            log.error("a suite's run went wrong: %s", type(error).__name__, exc_info=error)

    async def _keep_schedule(self) -> None:
        pause = min(TICK_SECONDS, self._runs.every.total_seconds() or TICK_SECONDS)
        while not self._closing.is_set():
            try:
                async with asyncio.timeout(pause):
                    await self._closing.wait()
            except TimeoutError:
                self._pool.submit(self._guarded, self._show_kept)
                if self._start_check.is_open:
                    self._pool.submit(self._guarded, self._check_start)
                elif self._has_schedule:
                    self._pool.submit(self._guarded, self._run_if_due)

    def _show_kept(self) -> None:
        """Runs of other processes and of commands are seen in this one's metrics too."""
        try:
            show_kept(self._sessions, model_version=self._reader.classifier.version)
        except SQLAlchemyError as error:
            log.warning("what the suites found last is not known: %s", type(error).__name__)

    def _run_if_due(self) -> None:
        """Several processes share a database and so one schedule."""
        try:
            with self._sessions.begin() as session:
                complaint = "the process that ran it ended"
                started_before = datetime.now(UTC) - ABANDONED_AFTER
                queries.abandon_runs(session, started_before=started_before, complaint=complaint)
            self._run_what_is_due(self._reader.classifier, trigger="schedule")
        except SQLAlchemyError as error:
            log.warning("the suites' schedule is not known: %s", type(error).__name__)
