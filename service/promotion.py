"""Promote a model, or roll back to the one before: a row that says which serves, and from then on every process obeys.

promote A→B, promote B→C, rollback C→B, rollback B→A: a rollback takes back the newest promotion that still stands.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from model.checks.baseline import Baseline, compare, from_run
from model.checks.results import RunResult
from model.classifier import Classifier
from service.errors import Conflict, InvalidRequest, NotFound
from service.model_shelf import ModelShelf, UnknownModel
from service.queries import audit
from service.queries import checks as queries_of_checks
from service.queries import promotions as queries
from service.recording import Recorded
from service.tables import Promotion, SuiteRun

log = logging.getLogger(__name__)

SHOWN_CASES = 50  # of a suite that refuses a promotion; all of them are in the run


def standing_versions(history: Sequence[Promotion], default: str) -> list[str]:
    """The versions that a rollback can go back through, the serving one last."""
    standing = [history[0].from_version if history else default]
    for row in history:
        if row.action == "promotion":
            standing.append(row.to_version)
        else:
            standing.pop()
    return standing


def serving_version(sessions: sessionmaker[Session], shelf: ModelShelf) -> str:
    """The version that is to serve: the last that was promoted or rolled back to, else that of the settings."""
    with sessions() as session:
        last = queries.last_promotion(session)
    return last.to_version if last is not None else shelf.default_version


def promote(
    sessions: sessionmaker[Session],
    shelf: ModelShelf,
    *,
    version: str,
    actor: str,
    run_suites: Callable[[Classifier], Recorded],
    force: bool = False,
    reason: str | None = None,
) -> Promotion:
    """Run the suites on the model, and let it serve where none fails and no group fell against
    the serving model by more than chance; or by force with a reason.

    Raises NotFound; Conflict where it serves already, another was quicker, its folder does not load, or a suite fails:
    then the problem's `failing` holds the cases.
    """
    if force and not reason:
        raise InvalidRequest("reason: force needs one")
    try:
        found = shelf.find(version)
        candidate = shelf.load(str(found.version))
    except UnknownModel as error:
        raise NotFound(str(error)) from None
    except ModelFolderError as error:
        raise Conflict(str(error)) from None
    serving = serving_version(sessions, shelf)
    if candidate.version == serving:
        raise Conflict(f"{candidate.version} serves already")
    recorded = run_suites(candidate)
    baselines = _baselines(sessions, shelf, recorded, serving, run_suites)
    falls = {
        name: compare(result, baselines[name]).complaints
        for (run, result) in recorded
        if (name := run.suite) in baselines
    }
    failing = [
        _failing(run, result, [*result.complaints, *falls.get(run.suite, [])])
        for run, result in recorded
        if not result.passed or falls.get(run.suite)
    ]
    if failing and not force:
        names = ", ".join(entry["suite"] for entry in failing)
        details = {
            "from": serving,
            "failing": [{name: entry[name] for name in ("suite", "run_id")} for entry in failing],
        }
        with sessions.begin() as session:
            audit.record(
                session, actor=actor, action="model_promotion_refused", subject=candidate.version, details=details
            )
        raise Conflict(f"{candidate.version} fails {names}", failing=failing)
    verdict = [
        {"run_id": run.id, "suite": run.suite, "passed": result.passed, "falls": falls.get(run.suite, [])}
        for run, result in recorded
    ]
    return _record(
        sessions,
        shelf,
        action="promotion",
        to_version=candidate.version,
        actor=actor,
        forced=bool(failing),
        reason=reason,
        verdict=verdict,
    )


def _baselines(
    sessions: sessionmaker[Session],
    shelf: ModelShelf,
    recorded: Recorded,
    serving: str,
    run_suites: Callable[[Classifier], Recorded],
) -> dict[str, Baseline]:
    """What the serving model makes of the same suites: as it was kept, else run now. None where it cannot be loaded."""
    found = {}
    with sessions() as session:
        for run, _ in recorded:
            passed = queries_of_checks.passed_cases(
                session, suite=run.suite, suite_sha256=run.suite_sha256, model_version=serving
            )
            if passed is not None:
                found[run.suite] = Baseline(run.suite, run.suite_sha256, serving, passed)
    if len(found) == len(recorded):
        return found
    try:
        classifier = shelf.load(serving)
    except (UnknownModel, ModelFolderError) as error:
        log.warning("no baseline: %s does not load: %s", serving, error)
        return found
    return {run.suite: from_run(result) for run, result in run_suites(classifier)}


def _failing(run: SuiteRun, result: RunResult, complaints: list[str]) -> dict[str, Any]:
    """A failed run as a problem tells it; of many cases the first, critical ones before others."""
    cases = [case for case in result.results if not case.passed]
    cases.sort(key=lambda case: case.case.severity != "critical")
    shown = [
        {
            "case_id": case.case.id,
            "severity": case.case.severity,
            "reason": case.reason,
            "readings": [
                {"text": r.text, "expected": r.expected, "label": r.label, "confidence": r.confidence}
                for r in case.readings
            ],
        }
        for case in cases[:SHOWN_CASES]
    ]
    return {
        "suite": run.suite,
        "run_id": run.id,
        "complaints": complaints,
        "failed_cases": len(cases),
        "cases": shown,
    }


def roll_back(sessions: sessionmaker[Session], shelf: ModelShelf, *, actor: str, reason: str | None) -> Promotion:
    """Raises Conflict where there is nothing to go back to, or its folder is gone or bad."""
    with sessions() as session:
        standing = standing_versions(queries.promotions_in_order(session), shelf.default_version)
    if len(standing) < 2:
        raise Conflict(f"no model served before {standing[0]}")
    try:
        shelf.load(standing[-2])
    except (UnknownModel, ModelFolderError) as error:
        raise Conflict(f"cannot go back to {standing[-2]}: {error}") from None
    return _record(
        sessions,
        shelf,
        action="rollback",
        to_version=standing[-2],
        actor=actor,
        forced=False,
        reason=reason,
        verdict=[],
    )


def _record(
    sessions: sessionmaker[Session],
    shelf: ModelShelf,
    *,
    action: str,
    to_version: str,
    actor: str,
    forced: bool,
    reason: str | None,
    verdict: list[dict[str, Any]],
) -> Promotion:
    try:
        with sessions.begin() as session:
            last = queries.last_promotion(session)
            serving = last.to_version if last is not None else shelf.default_version
            if serving == to_version:
                raise Conflict(f"{to_version} serves already")
            promotion = Promotion(
                number=last.number + 1 if last is not None else 1,
                action=action,
                from_version=serving,
                to_version=to_version,
                actor=actor,
                forced=forced,
                reason=reason,
                verdict=verdict,
                created_at=datetime.now(UTC),
            )
            queries.add_promotion(session, promotion=promotion)
            details = {"from": serving, "forced": forced, "reason": reason}
            audit.record(session, actor=actor, action=f"model_{action}", subject=to_version, details=details)
    except IntegrityError:
        raise Conflict("another promotion was made at the same moment; look at the models and try again") from None
    return promotion
