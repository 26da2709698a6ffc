"""Stored suite runs to what goes over the wire."""

from __future__ import annotations

from typing import cast

from service.schemas.checks import GroupOut, RunCaseOut, RunOut, RunState, RunTrigger, TrendPoint
from service.tables import SuiteRun, SuiteRunCase


def _pass_ratio(run: SuiteRun) -> float | None:
    return run.n_passed / run.n_cases if run.n_passed is not None and run.n_cases else None


def run_answer(run: SuiteRun) -> RunOut:
    return RunOut(
        id=run.id,
        suite=run.suite,
        suite_sha256=run.suite_sha256,
        model_version=run.model_version,
        trigger=cast(RunTrigger, run.trigger),
        actor=run.actor,
        state=cast(RunState, run.state),
        created_at=run.created_at,
        seconds=run.seconds,
        n_cases=run.n_cases,
        n_passed=run.n_passed,
        pass_ratio=_pass_ratio(run),
        pair_accuracy=run.pair_accuracy,
        both_same_ratio=run.both_same_ratio,
        failed_critical=run.failed_critical,
        groups=[GroupOut(**group) for group in run.groups] if run.groups is not None else None,
        complaints=run.complaints,
    )


def case_answer(case: SuiteRunCase) -> RunCaseOut:
    return RunCaseOut(
        number=case.number,
        case_id=case.case_id,
        kind=case.kind,
        capability=case.capability,
        severity=case.severity,
        passed=case.passed,
        reason=case.reason,
        order_gap=case.order_gap,
        readings=case.readings,
    )


def trend_point(run: SuiteRun) -> TrendPoint:
    return TrendPoint(
        run_id=run.id,
        suite=run.suite,
        suite_sha256=run.suite_sha256,
        model_version=run.model_version,
        created_at=run.created_at,
        state=cast(RunState, run.state),
        pass_ratio=_pass_ratio(run) or 0.0,
        pair_accuracy=run.pair_accuracy,
    )
