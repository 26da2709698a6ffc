"""Suites in a running service: at its start, on a schedule, on request. One background thread, so that mail goes on.

A finished run stands for its model and its suite's very file for `every_hours`, whichever process made it, so that a
start runs only what no run stands for, and of processes that start together one runs it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Literal

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from model.checks.runner import run_cases
from model.checks.schema import Suite, SuiteError, read_suites
from model.classifier import Classifier
from service.claiming import claimed
from service.errors import Conflict, NotFound, ServiceError, Unavailable
from service.following import Follower
from service.model_shelf import ModelShelf, UnknownModel
from service.queries import checks as queries
from service.queries import promotions
from service.reading import Reader
from service.recording import Recorded, Stopped, Trigger, announce, execute, last_results, run_all, show_kept
from service.shop_suite import shop_suite
from service.tables import Promotion, SuiteRun

log = logging.getLogger(__name__)

AtStart = Literal["off", "background", "wait"]
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
        follower: Follower,
        *,
        suite_files: Sequence[Path],
        auto_threshold: float,
        at_start: AtStart,
        keep_last_good: bool,
        every_hours: float,
    ) -> None:
        self._reader, self._sessions, self._shelf, self._follower = reader, sessions, shelf, follower
        self._suite_files, self._auto_threshold = list(suite_files), auto_threshold
        self._at_start, self._keep_last_good = at_start, keep_last_good
        self._every = timedelta(hours=every_hours)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="suites")
        self._promotions = ThreadPoolExecutor(1, thread_name_prefix="promotion")  # one after another
        self._stopping = threading.Event()
        self._closing = asyncio.Event()
        self._schedule: asyncio.Task[None] | None = None
        self._retry_at = 0.0  # by the monotonic clock: a run that broke is not repeated at every tick
        self._verdict_is_open = at_start != "off"
        self.not_ready = "the order suites have not run yet" if at_start == "wait" else None

    def start(self) -> None:
        self._pool.submit(self._guarded, self._show_kept)
        if self._at_start != "off":
            self._pool.submit(self._guarded, self.check_serving)
        self._schedule = asyncio.create_task(self._keep_schedule())

    async def close(self) -> None:
        """The run that is under way stops at its next batch and is kept as an error."""
        self._stopping.set()
        self._closing.set()
        if self._schedule is not None:
            await self._schedule
        await asyncio.to_thread(self._promotions.shutdown, cancel_futures=False)
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=False)

    def suites(self, names: Sequence[str] = ()) -> list[Suite]:
        """As files and the shop's cases stand now; all, or those named. Raises Unavailable for a bad file, NotFound."""
        try:
            found = {suite.name: suite for suite in read_suites(self._suite_files)}
            with self._sessions() as session:
                own = shop_suite(session)
        except SuiteError as error:
            raise Unavailable(f"a suite cannot be read: {error}") from None
        if own is not None:
            found[own.name] = own
        if unknown := [name for name in names if name not in found]:
            raise NotFound(f"no suite is named {unknown[0]!r}; there are {', '.join(sorted(found))}")
        return [found[name] for name in dict.fromkeys(names or found)]

    def submit(self, names: Sequence[str], version: str | None, *, trigger: Trigger, actor: str) -> list[SuiteRun]:
        """Announce runs of the suites, on the serving model or another, and run them when their turn comes."""
        suites = self.suites(names)
        classifier = self._reader.classifier
        if version is not None and version not in (classifier.version, classifier.card.version):
            try:
                classifier = self._shelf.load(version)
            except UnknownModel as error:
                raise NotFound(str(error)) from None
            except ModelFolderError as error:
                raise Conflict(str(error)) from None
        runs = announce(self._sessions, suites, model_version=classifier.version, trigger=trigger, actor=actor)
        for run, suite in zip(runs, suites, strict=True):
            self._pool.submit(self._guarded, partial(self._execute, run, suite, classifier))
        return runs

    def promote(self, work: Callable[[], Promotion], *, within_seconds: float) -> Promotion | None:
        """Do the work in the background; None where it is not done in time, and goes on. What it raises in time is
        raised here, and Unavailable where the service stops; what it raises later is logged."""
        future = self._promotions.submit(work)
        try:
            return future.result(timeout=within_seconds)
        except Stopped:
            raise Unavailable("the service stops") from None
        except TimeoutError:
            if future.done():  # the work's own
                raise
            future.add_done_callback(_log_what_became_of_it)
            return None

    def run_all(self, classifier: Classifier, *, trigger: Trigger, actor: str) -> Recorded:
        """Every suite on a model, in the caller's thread."""
        return self._run(self.suites(), classifier, trigger=trigger, actor=actor)

    def check_serving(self) -> None:
        """Ask the model that serves its critical cases; where it fails one, say so or serve an earlier one. Then run
        what no run of this model and these very files stands for yet."""
        looked_at = []
        while True:
            classifier = self._reader.classifier
            looked_at.append(classifier)
            complaint = self._complaint(classifier)
            if complaint is None:
                break
            log.error("%s", complaint)
            if self._was_forced(classifier.version):
                complaint = None
                break
            if not self._keep_last_good or not self._follower.reject(classifier.version, complaint):
                break
        self.not_ready, self._verdict_is_open = complaint, False
        for classifier in looked_at:
            self._run_what_is_due(classifier, trigger="startup")

    def _last_results(self, classifier: Classifier) -> tuple[list[SuiteRun], list[Suite]]:
        newer_than = datetime.now(UTC) - self._every if self._every else None
        return last_results(self._sessions, self.suites(), model_version=classifier.version, newer_than=newer_than)

    def _complaint(self, classifier: Classifier) -> str | None:
        """Which critical case the model fails: as kept runs found, else asked now. A few seconds, not a whole run."""
        runs, due = self._last_results(classifier)
        with self._sessions() as session:
            kept = queries.first_failed_critical(session, run_ids=[run.id for run in runs])
        if kept is not None:
            return f"model {classifier.version} fails critical case {kept.case_id}: {kept.reason}"
        critical = [case for suite in due for case in suite.cases if case.severity == "critical"]
        found = run_cases(critical, classifier, self._go_on, auto_threshold=self._auto_threshold)
        failed = next((result for result in found if not result.passed), None)
        if failed is None:
            return None
        return f"model {classifier.version} fails critical case {failed.case.id}: {failed.reason}"

    def _run_what_is_due(self, classifier: Classifier, *, trigger: Trigger) -> None:
        """Of several processes one does it; the others find its results, or look again at the next tick."""
        if monotonic() < self._retry_at or not self._last_results(classifier)[1]:
            return
        self._retry_at = monotonic() + RETRY_SECONDS
        with claimed(self._sessions, f"suites on {classifier.version}") as renew:
            if renew is not None and (due := self._last_results(classifier)[1]):
                self._run(due, classifier, trigger=trigger, actor=SERVICE, renew=renew)
        self._retry_at = 0.0

    def _run(
        self,
        suites: Sequence[Suite],
        classifier: Classifier,
        *,
        trigger: Trigger,
        actor: str,
        renew: Callable[[], None] = lambda: None,
    ) -> Recorded:
        def go_on(*_: int) -> None:
            self._go_on()
            renew()

        return run_all(
            self._sessions,
            suites,
            classifier,
            trigger=trigger,
            actor=actor,
            auto_threshold=self._auto_threshold,
            progress=go_on,
        )

    def _was_forced(self, version: str) -> bool:
        """Whether someone let this model serve although it failed."""
        with self._sessions() as session:
            last = promotions.last_promotion(session)
        return last is not None and last.forced and last.to_version == version

    def _execute(self, run: SuiteRun, suite: Suite, classifier: Classifier) -> None:
        execute(self._sessions, run, suite, classifier, auto_threshold=self._auto_threshold, progress=self._go_on)

    def _go_on(self, *_: int) -> None:
        if self._stopping.is_set():
            raise Stopped("the service stopped")

    def _guarded(self, work: Callable[[], object]) -> None:
        """Nobody waits for what runs in the background, so what goes wrong is logged here."""
        try:
            work()
        except Stopped:
            log.info("a suite's run was ended: the service stops")
        except Exception as error:
            log.error("a suite's run went wrong: %s", type(error).__name__, exc_info=error)

    async def _keep_schedule(self) -> None:
        while not self._closing.is_set():
            try:
                async with asyncio.timeout(min(TICK_SECONDS, self._every.total_seconds() or TICK_SECONDS)):
                    await self._closing.wait()
            except TimeoutError:
                self._pool.submit(self._guarded, self._show_kept)
                if self._verdict_is_open:
                    self._pool.submit(self._guarded, self.check_serving)
                elif self._at_start != "off" or self._every:
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


def _log_what_became_of_it(future: Future[Promotion]) -> None:
    """Of a promotion whose caller was told to look later."""
    error = future.exception()
    if error is None:
        log.info("model %s was promoted", future.result().to_version)
    elif isinstance(error, ServiceError | Stopped):
        log.warning("a promotion came to nothing: %s", error)
    else:
        log.error("a promotion went wrong: %s", type(error).__name__, exc_info=error)
