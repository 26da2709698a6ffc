"""What the serving model must pass before the service calls itself ready: its critical cases, asked at the start."""

from __future__ import annotations

import logging
from typing import Literal

from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier
from service.following import Follower
from service.queries import checks as queries
from service.queries import promotions
from service.reading import Reader
from service.suite_runs import SuiteRuns

log = logging.getLogger(__name__)

AtStart = Literal["off", "background", "wait"]


class StartCheck:
    """is_open: whether the verdict is still to be found."""

    def __init__(
        self,
        reader: Reader,
        sessions: sessionmaker[Session],
        follower: Follower,
        runs: SuiteRuns,
        *,
        at_start: AtStart,
        keep_last_good: bool,
    ) -> None:
        self._reader, self._sessions, self._follower, self._runs = reader, sessions, follower, runs
        self._keep_last_good = keep_last_good
        self.is_open = at_start != "off"
        self._waits = at_start == "wait"
        self._failed: tuple[str, str] | None = None  # the version that fails, and what

    @property
    def not_ready(self) -> str | None:
        """Why no mail should come, for /readyz; None where it may. A model promoted since has passed, or was forced."""
        if self.is_open and self._waits:
            return "the order suites have not run yet"
        if self._failed is not None and self._failed[0] == self._reader.classifier.version:
            return self._failed[1]
        return None

    def find(self) -> list[Classifier]:
        """Ask the model that serves its critical cases; where it fails one, say so or serve an earlier one, which is
        asked in turn. Gives every model that was asked."""
        asked = []
        while True:
            classifier = self._reader.classifier
            asked.append(classifier)
            complaint = self._complaint(classifier)
            if complaint is None:
                break
            log.error("%s", complaint)
            if self._was_forced(classifier.version):
                break
            if not self._keep_last_good or not self._follower.reject(classifier.version, complaint):
                self._failed = classifier.version, complaint
                break
        self.is_open = False
        return asked

    def _complaint(self, classifier: Classifier) -> str | None:
        """Which critical case the model fails: as kept runs found, else asked now. A few seconds, not a whole run."""
        suites = self._runs.suites()
        standing = self._runs.standing(suites, classifier.version, since=self._runs.horizon())
        with self._sessions() as session:
            kept = queries.first_failed_critical(session, run_ids=[run.id for run in standing.values()])
        if kept is not None:
            return f"model {classifier.version} fails critical case {kept.case_id}: {kept.reason}"
        due = [suite for suite in suites if suite.name not in standing]
        critical = [case for suite in due for case in suite.cases if case.severity == "critical"]
        failed = next((result for result in self._runs.ask(critical, classifier) if not result.passed), None)
        if failed is None:
            return None
        return f"model {classifier.version} fails critical case {failed.case.id}: {failed.reason}"

    def _was_forced(self, version: str) -> bool:
        """Whether someone let this model serve although it failed."""
        with self._sessions() as session:
            last = promotions.last_promotion(session)
        return last is not None and last.forced and last.to_version == version
