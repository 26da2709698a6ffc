"""Which kept runs stand for a model, and the making of those that none stands for.

A finished run stands for its model and its suite's very file for `every_hours`, whichever process made it, so that
nothing is run twice: not by a second start, not by processes that start together, not by a promotion asked for again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.orm import Session, sessionmaker

from model.checks.cases import Case
from model.checks.results import CaseResult
from model.checks.runner import run_cases
from model.checks.schema import Suite, SuiteError, read_suites
from model.classifier import Classifier
from service.claiming import claimed
from service.errors import NotFound, Unavailable
from service.queries import checks as queries
from service.recording import Progress, Stopped, Trigger, execute, run_all
from service.shop_suite import merged, shop_suite
from service.tables import SuiteRun

WAIT_SECONDS = 1.0  # before it is looked again whether another process has made the runs


def _silent(*_: int) -> None:
    """Progress that nobody looks at."""


class SuiteRuns:
    """The suites of a service, or of a command, and their runs in its database. After stop, every run ends."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        *,
        suite_files: Sequence[Path],
        auto_threshold: float,
        every_hours: float,
    ) -> None:
        self._sessions, self._suite_files, self.auto_threshold = sessions, list(suite_files), auto_threshold
        self.every = timedelta(hours=every_hours)  # 0 is for ever
        self._stopping = threading.Event()

    def stop(self) -> None:
        """A run that is under way stops at its next batch and is kept as an error."""
        self._stopping.set()

    def suites(self, names: Sequence[str] = ()) -> list[Suite]:
        """As files and the shop's cases stand now; all, or those named. Raises Unavailable for a bad file, NotFound."""
        try:
            found = {suite.name: suite for suite in read_suites(self._suite_files)}
            with self._sessions() as session:
                own = shop_suite(session)
        except SuiteError as error:
            raise Unavailable(f"a suite cannot be read: {error}") from None
        if own is not None:
            found[own.name] = merged(found[own.name], own) if own.name in found else own
        if unknown := [name for name in names if name not in found]:
            raise NotFound(f"no suite is named {unknown[0]!r}; there are {', '.join(sorted(found))}")
        return [found[name] for name in dict.fromkeys(names or found)]

    def horizon(self) -> datetime | None:
        """What was made before it stands no longer."""
        return datetime.now(UTC) - self.every if self.every else None

    def standing(self, suites: Sequence[Suite], version: str, *, since: datetime | None) -> dict[str, SuiteRun]:
        """Suite → the newest finished run of this very file on this very model, where there is one so new."""
        with self._sessions() as session:
            found = queries.last_finished_runs(
                session, model_versions=[version], suite_sha256s=[suite.sha256 for suite in suites]
            )
        return {run.suite: run for run in found if since is None or run.created_at >= since}

    def due(self, suites: Sequence[Suite], version: str, *, since: datetime | None) -> list[Suite]:
        """The suites that no run stands for."""
        standing = self.standing(suites, version, since=since)
        return [suite for suite in suites if suite.name not in standing]

    def run_due(
        self,
        suites: Sequence[Suite],
        classifier: Classifier,
        *,
        since: datetime | None,
        trigger: Trigger,
        actor: str,
        progress: Progress = _silent,
    ) -> bool:
        """Run what no run stands for. Of several processes one does it; False where another is at it."""
        version = classifier.version
        with claimed(self._sessions, f"suites on {version}") as renew:
            if renew is None:
                return False
            run_all(
                self._sessions,
                self.due(suites, version, since=since),
                classifier,
                trigger=trigger,
                actor=actor,
                auto_threshold=self.auto_threshold,
                progress=self._watched(progress, renew),
            )
        return True

    def finished(
        self,
        suites: Sequence[Suite],
        version: str,
        load: Callable[[], Classifier],
        *,
        since: datetime | None,
        trigger: Trigger,
        actor: str,
        progress: Progress = _silent,
    ) -> dict[str, SuiteRun]:
        """Suite → a finished run of each: those that stand, the others made here, or waited for where another process
        makes them. load: gives the model, asked only where something has to be run."""
        classifier: Classifier | None = None
        while self.due(suites, version, since=since):
            classifier = classifier or load()
            if not self.run_due(suites, classifier, since=since, trigger=trigger, actor=actor, progress=progress):
                self._go_on()
                time.sleep(WAIT_SECONDS)
        return self.standing(suites, version, since=since)

    def execute(self, run: SuiteRun, suite: Suite, classifier: Classifier) -> None:
        """A run that was announced, whatever stands."""
        execute(self._sessions, run, suite, classifier, auto_threshold=self.auto_threshold, progress=self._watched())

    def ask(self, cases: Sequence[Case], classifier: Classifier) -> tuple[CaseResult, ...]:
        """Cases by themselves; nothing is kept."""
        return run_cases(cases, classifier, self._watched(), auto_threshold=self.auto_threshold)

    def _go_on(self) -> None:
        if self._stopping.is_set():
            raise Stopped("the service stopped")

    def _watched(self, progress: Progress = _silent, renew: Callable[[], None] = _silent) -> Progress:
        def told(done: int, total: int) -> None:
            self._go_on()
            renew()
            progress(done, total)

        return told
