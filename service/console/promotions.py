"""Promotions in words: those that go on, those that were refused and by which gate, those that came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy.orm import Session

from service.checking import ABANDONED_AFTER
from service.promotion_notes import ASKED, DONE, FAILED, REFUSED
from service.queries import audit
from service.queries import checks as run_queries
from service.queries import promotions as queries
from service.tables import AuditEntry, Promotion, SuiteRun

SHOWN = 20
SHOWN_REASONS = 5  # of a suite; the run has all
NOTES = (ASKED, REFUSED, FAILED, DONE)
Outcome = Literal["going on", "refused", "failed", "promotion", "rollback"]


@dataclass(frozen=True)
class SuiteLine:
    """A suite in a verdict: by which gates it refuses, why, a sentence each, and what broke and mended."""

    suite: str
    run_id: str
    passed: bool
    cases: str
    gates: Sequence[str]
    reasons: Sequence[str]
    more_reasons: int
    against: str | None
    broken: Sequence[str]
    n_broken: int
    n_mended: int


@dataclass(frozen=True)
class Attempt:
    """A change of the serving model, or one that was asked for. running: the suites' runs of one that goes on."""

    outcome: Outcome
    version: str
    from_version: str | None
    actor: str
    created_at: datetime
    sentence: str
    reason: str | None = None
    lines: Sequence[SuiteLine] = ()
    running: Sequence[SuiteRun] = field(default=())


def attempts(session: Session) -> list[Attempt]:
    """The newest first."""
    now = datetime.now(UTC)
    notes = audit.entries_of(session, actions=NOTES, limit=4 * SHOWN)
    rows = queries.list_promotions(session, limit=SHOWN)
    told = [*(line for row in rows for line in row.verdict), *(line for note in notes for line in _failing(note))]
    runs = run_queries.runs_by_ids(session, run_ids=[line["run_id"] for line in told])
    found = [_of_row(row, runs) for row in rows]
    ended: set[str] = set()  # versions of which a later note says what came of it
    for note in notes:
        if note.action == REFUSED:
            found.append(_refused(note, runs))
        elif note.action == FAILED:
            found.append(_failed(note, str(note.details["why"])))
        elif note.action == ASKED and note.subject not in ended:
            left = note.created_at < now - ABANDONED_AFTER
            found.append(_failed(note, "the process that was asked ended") if left else _going_on(session, note))
        ended.add(note.subject)
    return sorted(found, key=lambda attempt: attempt.created_at, reverse=True)[:SHOWN]


def _of_row(row: Promotion, runs: Mapping[str, SuiteRun]) -> Attempt:
    lines = _lines(row.verdict, runs)
    refusing = [line for line in lines if line.gates]
    if row.action == "rollback":
        sentence = f"Rolled back from {row.from_version} to {row.to_version}."
    elif row.forced:
        sentence = f"Promoted by force, although {_names(refusing)}."
    else:
        sentence = f"Promoted: {_count(len(lines))} passed, and nothing fell against {row.from_version} beyond chance."
    return Attempt(
        outcome="rollback" if row.action == "rollback" else "promotion",
        version=row.to_version,
        from_version=row.from_version,
        actor=row.actor,
        created_at=row.created_at,
        sentence=sentence,
        reason=row.reason,
        lines=lines,
    )


def _refused(note: AuditEntry, runs: Mapping[str, SuiteRun]) -> Attempt:
    lines = _lines(_failing(note), runs)
    suites = note.details.get("suites")  # a release before did not count them
    of = f"{len(lines)} of {_count(suites)}" if suites else _count(len(lines))
    return _noted(note, "refused", f"Refused by {of}: {_names(lines)}. {note.details['from']} serves on.", lines=lines)


def _failed(note: AuditEntry, why: str) -> Attempt:
    return _noted(note, "failed", f"Came to no verdict: {why}.")


def _going_on(session: Session, note: AuditEntry) -> Attempt:
    """With the runs that it has made up to now; those from before it are not made again and not told."""
    runs = run_queries.list_runs(session, limit=100, trigger="promotion", created_from=note.created_at)
    running = [run for run in reversed(runs) if run.model_version in (note.subject, note.details["from"])]
    done = sum(run.state != run_queries.RUNNING for run in running)
    words = f"{done} of {_count(len(running))} done" if running else "the suites are looked at"
    return _noted(note, "going on", f"Being checked: {words}.", running=running)


def _noted(note: AuditEntry, outcome: Outcome, sentence: str, **more: Any) -> Attempt:
    return Attempt(
        outcome=outcome,
        version=note.subject,
        from_version=note.details.get("from"),
        actor=note.actor,
        created_at=note.created_at,
        sentence=sentence,
        **more,
    )


def _failing(note: AuditEntry) -> list[dict[str, Any]]:
    return note.details["failing"] if note.action == REFUSED else []


def _lines(told: Sequence[dict[str, Any]], runs: Mapping[str, SuiteRun]) -> list[SuiteLine]:
    return [_line(entry, runs.get(entry["run_id"])) for entry in told]


def _line(told: dict[str, Any], run: SuiteRun | None) -> SuiteLine:
    """run: None where it is not kept any more."""
    falls = told.get("falls") or []
    reasons = [*((run.complaints or []) if run is not None else []), *falls]
    return SuiteLine(
        suite=told["suite"],
        run_id=told["run_id"],
        passed=run is not None and run.state == "passed",
        cases=f"{run.n_passed} of {run.n_cases}" if run is not None else "",
        gates=_gates(run, fell=bool(falls)),
        reasons=reasons[:SHOWN_REASONS],
        more_reasons=max(0, len(reasons) - SHOWN_REASONS),
        against=told.get("against"),
        broken=told.get("broken") or [],
        n_broken=told.get("n_broken") or 0,
        n_mended=told.get("n_mended") or 0,
    )


def _gates(run: SuiteRun | None, *, fell: bool) -> list[str]:
    found = []
    if run is not None and run.failed_critical:
        found.append("a critical case failed")
    if run is not None and any(group["passed"] < group["fail_under"] * group["total"] for group in run.groups or []):
        found.append("a group is under its floor")
    if fell:
        found.append("a group fell beyond chance")
    return found


def _names(lines: Sequence[SuiteLine]) -> str:
    return "; ".join(f"{line.suite}, where {' and '.join(line.gates) or 'cases failed'}" for line in lines)


def _count(suites: int) -> str:
    return f"{suites} suite" if suites == 1 else f"{suites} suites"
