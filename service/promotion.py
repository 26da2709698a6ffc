"""Promote a model, or roll back to the one before: a row that says which serves, and from then on every process obeys.

promote A→B, promote B→C, rollback C→B, rollback B→A: a rollback takes back the newest promotion that still stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from service.errors import Conflict, InvalidRequest, NotFound
from service.model_shelf import ModelShelf, UnknownModel
from service.promotion_notes import ASKED, REFUSED, failure_noted, note
from service.promotion_verdict import SuiteVerdict, as_problem, verdicts
from service.queries import audit
from service.queries import promotions as queries
from service.recording import Progress
from service.suite_runs import SuiteRuns
from service.tables import Promotion


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
    runs: SuiteRuns,
    *,
    version: str,
    actor: str,
    force: bool = False,
    reason: str | None = None,
    progress: Progress = lambda *_: None,
) -> Promotion:
    """Let the model serve where no suite fails on it and neither a group nor a whole suite fell against the serving
    model by more than chance; or by force with a reason. Suites that a finished run stands for are not run again.

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
    if serving == candidate.version:
        raise Conflict(f"{serving} serves already")
    note(sessions, ASKED, candidate.version, {"from": serving, "force": force}, actor=actor)
    with failure_noted(sessions, candidate.version, actor=actor):
        found_verdicts = verdicts(sessions, shelf, runs, candidate, serving, actor=actor, progress=progress)
    refusing = [verdict for verdict in found_verdicts if verdict.refuses]
    if refusing and not force:
        _refuse(sessions, candidate.version, serving, refusing, len(found_verdicts), actor=actor)
    with failure_noted(sessions, candidate.version, actor=actor):
        return _record(
            sessions,
            shelf,
            action="promotion",
            to_version=candidate.version,
            actor=actor,
            forced=bool(refusing),
            reason=reason,
            verdict=[verdict.told() for verdict in found_verdicts],
        )


def _refuse(
    sessions: sessionmaker[Session],
    version: str,
    serving: str,
    refusing: Sequence[SuiteVerdict],
    n_suites: int,
    *,
    actor: str,
) -> NoReturn:
    """Noted in the audit, and told with the failing cases."""
    details = {"from": serving, "suites": n_suites, "failing": [verdict.told() for verdict in refusing]}
    note(sessions, REFUSED, version, details, actor=actor)
    with sessions() as session:
        failing = [as_problem(session, verdict) for verdict in refusing]
    names = ", ".join(verdict.run.suite for verdict in refusing)
    raise Conflict(f"{version} fails {names}", failing=failing)


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
