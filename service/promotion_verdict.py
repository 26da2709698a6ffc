"""What the suites say of a model that is to serve: its own runs, and the groups that fell against the serving model."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from model.checks.baseline import changes
from model.checks.schema import Suite
from model.classifier import Classifier
from service.model_shelf import ModelShelf, UnknownModel
from service.promotion_money import Alone, rises, wrong_alone
from service.queries import checks as queries
from service.recording import Progress
from service.suite_runs import SuiteRuns
from service.tables import SuiteRun

log = logging.getLogger(__name__)

SHOWN_CASES = 50  # of a suite that refuses a promotion; all of them are in the run


@dataclass(frozen=True)
class SuiteVerdict:
    """A suite's finished run on the candidate, and against the serving model: why groups count as fallen, or more money
    would go back wrongly, a sentence each; the ids of the cases that broke, and how many mended. Without such a
    baseline nothing fell."""

    run: SuiteRun
    against: str | None = None  # the serving model's version
    falls: Sequence[str] = ()
    broken: Sequence[str] = ()
    n_mended: int = 0

    @property
    def passed(self) -> bool:
        return self.run.state == "passed"

    @property
    def refuses(self) -> bool:
        return not self.passed or bool(self.falls)

    def told(self) -> dict[str, Any]:
        """As a promotion, or the audit of a refused one, keeps it: ids and counts, no words of a mail."""
        return {
            "run_id": self.run.id,
            "suite": self.run.suite,
            "passed": self.passed,
            "falls": list(self.falls),
            "against": self.against,
            "broken": list(self.broken[:SHOWN_CASES]),
            "n_broken": len(self.broken),
            "n_mended": self.n_mended,
        }


def verdicts(
    sessions: sessionmaker[Session],
    shelf: ModelShelf,
    runs: SuiteRuns,
    candidate: Classifier,
    serving: str,
    *,
    actor: str,
    progress: Progress,
) -> list[SuiteVerdict]:
    """A verdict of every suite. Only what no finished run stands for is run."""
    suites = runs.suites()
    found = runs.finished(
        suites,
        candidate.version,
        lambda: candidate,
        since=runs.horizon(),
        trigger="promotion",
        actor=actor,
        progress=progress,
    )
    baselines = _baselines(shelf, runs, suites, serving, actor=actor, progress=progress)
    with sessions() as session:
        told = [_verdict(session, suite, found[suite.name], baselines.get(suite.name)) for suite in suites]
        more = _more_money(session, shelf, runs, candidate, found, baselines, serving)
    return [
        replace(each, falls=[*each.falls, more[each.run.suite]]) if each.run.suite in more else each for each in told
    ]


def _more_money(
    session: Session,
    shelf: ModelShelf,
    runs: SuiteRuns,
    candidate: Classifier,
    found: Mapping[str, SuiteRun],
    baselines: Mapping[str, SuiteRun],
    serving: str,
) -> dict[str, str]:
    """Suite → why, where the candidate would give money back wrongly and alone in more cases than the serving model."""
    try:
        card = shelf.find(serving).card
    except UnknownModel:
        card = None
    if card is None:
        return {}
    before, now = (
        {
            name: wrong_alone(session, run_id=of[name].id, alone=Alone(its_card, runs.auto_threshold))
            for name in baselines
        }
        for of, its_card in ((baselines, card), (found, candidate.card))
    )
    return rises(before, now, against=serving)


def _baselines(
    shelf: ModelShelf, runs: SuiteRuns, suites: Sequence[Suite], serving: str, *, actor: str, progress: Progress
) -> dict[str, SuiteRun]:
    """What the serving model makes of the same suites, however long ago; what is kept already where it cannot be
    loaded to run the others."""
    try:
        return runs.finished(
            suites,
            serving,
            lambda: shelf.load(serving),
            since=None,
            trigger="promotion",
            actor=actor,
            progress=progress,
        )
    except (UnknownModel, ModelFolderError) as error:
        log.warning("no baseline: %s does not load: %s", serving, error)
        return runs.standing(suites, serving, since=None)


def _verdict(session: Session, suite: Suite, run: SuiteRun, baseline: SuiteRun | None) -> SuiteVerdict:
    if baseline is None:
        return SuiteVerdict(run)
    before, now = (queries.passed_by_case(session, run_id=each.id) for each in (baseline, run))
    groups = {case.id: case.group for case in suite.cases}
    both = [case_id for case_id in groups if case_id in before and case_id in now]
    return SuiteVerdict(
        run,
        against=baseline.model_version,
        falls=[
            f"against {baseline.model_version}: {change}" for change in changes(groups, before, now) if change.is_fall
        ],
        broken=[case_id for case_id in both if before[case_id] and not now[case_id]],
        n_mended=sum(now[case_id] and not before[case_id] for case_id in both),
    )


def as_problem(session: Session, verdict: SuiteVerdict) -> dict[str, Any]:
    """A verdict that refuses as a problem tells it; of many cases the first, critical ones before others."""
    run = verdict.run
    cases = queries.failed_cases(session, run_id=run.id, limit=SHOWN_CASES)
    return {
        "suite": run.suite,
        "run_id": run.id,
        "complaints": [*(run.complaints or []), *verdict.falls],
        "failed_cases": (run.n_cases or 0) - (run.n_passed or 0),
        "cases": [
            {
                "case_id": case.case_id,
                "severity": case.severity,
                "reason": case.reason,
                "readings": [
                    {name: reading[name] for name in ("text", "expected", "label", "confidence")}
                    for reading in case.readings
                ],
            }
            for case in cases
        ],
    }
