"""Runs of the suites and their cases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import CursorResult, func, insert, select, update
from sqlalchemy.orm import Session

from service.tables import SuiteRun, SuiteRunCase

RUNNING = "running"
FINISHED = ("passed", "failed")


def add_runs(session: Session, *, runs: Sequence[SuiteRun]) -> None:
    session.add_all(runs)
    session.flush()


def add_cases(session: Session, *, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(SuiteRunCase), rows)


def finish_run(session: Session, *, run_id: str, values: dict[str, Any]) -> bool:
    """Whether the run was still running: what has finished is never written over."""
    changed = session.execute(
        update(SuiteRun)
        .where(SuiteRun.id == run_id, SuiteRun.state == RUNNING)
        .values(values)
        .execution_options(synchronize_session=False)
    )
    return cast(CursorResult[Any], changed).rowcount == 1


def abandon_runs(session: Session, *, started_before: datetime, complaint: str) -> None:
    """What a process left running when it ended becomes an error."""
    session.execute(
        update(SuiteRun)
        .where(SuiteRun.state == RUNNING, SuiteRun.created_at < started_before)
        .values(state="error", complaints=[complaint])
        .execution_options(synchronize_session=False)
    )


def run_by_id(session: Session, *, run_id: str) -> SuiteRun | None:
    return session.get(SuiteRun, run_id)


def runs_by_ids(session: Session, *, run_ids: Sequence[str]) -> dict[str, SuiteRun]:
    return {run.id: run for run in session.scalars(select(SuiteRun).where(SuiteRun.id.in_(run_ids)))}


def list_runs(
    session: Session,
    *,
    limit: int,
    before_id: str | None = None,
    suite: str | None = None,
    model_version: str | None = None,
    trigger: str | None = None,
    state: str | None = None,
    created_from: datetime | None = None,
) -> Sequence[SuiteRun]:
    """Newest first, by keyset: ids are ordered by time."""
    query = select(SuiteRun).order_by(SuiteRun.id.desc()).limit(limit)
    for column, value in (
        (SuiteRun.suite, suite),
        (SuiteRun.model_version, model_version),
        (SuiteRun.trigger, trigger),
        (SuiteRun.state, state),
    ):
        if value is not None:
            query = query.where(column == value)
    if before_id is not None:
        query = query.where(SuiteRun.id < before_id)
    if created_from is not None:
        query = query.where(SuiteRun.created_at >= created_from)
    return session.scalars(query).all()


def finished_runs(
    session: Session, *, suite: str, model_version: str | None, limit: int, before_id: str | None = None
) -> Sequence[SuiteRun]:
    """Of one suite, newest first."""
    query = (
        select(SuiteRun)
        .where(SuiteRun.suite == suite, SuiteRun.state.in_(FINISHED))
        .order_by(SuiteRun.id.desc())
        .limit(limit)
    )
    if model_version is not None:
        query = query.where(SuiteRun.model_version == model_version)
    if before_id is not None:
        query = query.where(SuiteRun.id < before_id)
    return session.scalars(query).all()


def last_finished_runs(
    session: Session, *, model_versions: Sequence[str], suite_sha256s: Sequence[str] | None = None
) -> Sequence[SuiteRun]:
    """The newest finished run of each suite on each of the models, by suite; of all suite files, or only of these."""
    newest = (
        select(func.max(SuiteRun.id))
        .where(SuiteRun.model_version.in_(model_versions), SuiteRun.state.in_(FINISHED))
        .group_by(SuiteRun.model_version, SuiteRun.suite)
    )
    if suite_sha256s is not None:
        newest = newest.where(SuiteRun.suite_sha256.in_(suite_sha256s))
    return session.scalars(select(SuiteRun).where(SuiteRun.id.in_(newest)).order_by(SuiteRun.suite)).all()


def first_failed_critical(session: Session, *, run_ids: Sequence[str]) -> SuiteRunCase | None:
    return session.scalars(
        select(SuiteRunCase)
        .where(SuiteRunCase.run_id.in_(run_ids), SuiteRunCase.severity == "critical", SuiteRunCase.passed.is_(False))
        .order_by(SuiteRunCase.run_id, SuiteRunCase.number)
        .limit(1)
    ).first()


def passed_by_case(session: Session, *, run_id: str) -> dict[str, bool]:
    """Case id → passed."""
    rows = session.execute(select(SuiteRunCase.case_id, SuiteRunCase.passed).where(SuiteRunCase.run_id == run_id))
    return {row.case_id: row.passed for row in rows}


def readings_by_case(session: Session, *, run_id: str) -> dict[str, list[dict[str, Any]]]:
    """Case id → its texts as the model read them, in the suite's order."""
    query = select(SuiteRunCase.case_id, SuiteRunCase.readings).where(SuiteRunCase.run_id == run_id)
    return {row.case_id: row.readings for row in session.execute(query.order_by(SuiteRunCase.number))}


def failed_cases(session: Session, *, run_id: str, limit: int) -> Sequence[SuiteRunCase]:
    """Critical ones first, else in the suite's order."""
    return session.scalars(
        select(SuiteRunCase)
        .where(SuiteRunCase.run_id == run_id, SuiteRunCase.passed.is_(False))
        .order_by((SuiteRunCase.severity == "critical").desc(), SuiteRunCase.number)
        .limit(limit)
    ).all()


def list_cases(
    session: Session, *, run_id: str, limit: int, after_number: int | None = None, passed: bool | None = None
) -> Sequence[SuiteRunCase]:
    """In the suite's order."""
    query = select(SuiteRunCase).where(SuiteRunCase.run_id == run_id).order_by(SuiteRunCase.number).limit(limit)
    if after_number is not None:
        query = query.where(SuiteRunCase.number > after_number)
    if passed is not None:
        query = query.where(SuiteRunCase.passed == passed)
    return session.scalars(query).all()


def case_of_run(session: Session, *, run_id: str, number: int) -> SuiteRunCase | None:
    return session.get(SuiteRunCase, (run_id, number))
