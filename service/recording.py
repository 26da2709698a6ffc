"""A suite's run, kept: a row while it runs, and with its end the figures and every case in one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import uuid_utils
from sqlalchemy.orm import Session, sessionmaker

from model.checks.cases import Case, MinimumCase
from model.checks.report import to_json
from model.checks.results import RunResult
from model.checks.runner import run_suite
from model.checks.schema import Suite
from model.classifier import Classifier
from service.metrics import SUITE_RUNS, show_suite_run
from service.queries import checks as queries
from service.queries.case_erasure import forget_erased
from service.tables import SuiteRun

Trigger = Literal["startup", "promotion", "schedule", "api", "cli"]
Progress = Callable[[int, int], None]


class Stopped(Exception):
    """The service is closing, so the run ends here."""


def announce(
    sessions: sessionmaker[Session], suites: Sequence[Suite], *, model_version: str, trigger: Trigger, actor: str
) -> list[SuiteRun]:
    """A row each, in state `running`."""
    runs = [
        SuiteRun(
            id=str(uuid_utils.uuid7()),
            suite=suite.name,
            suite_sha256=suite.sha256,
            model_version=model_version,
            trigger=trigger,
            actor=actor,
            state=queries.RUNNING,
            created_at=datetime.now(UTC),
        )
        for suite in suites
    ]
    with sessions.begin() as session:
        queries.add_runs(session, runs=runs)
    return runs


def execute(
    sessions: sessionmaker[Session],
    run: SuiteRun,
    suite: Suite,
    classifier: Classifier,
    *,
    auto_threshold: float,
    progress: Progress,
) -> None:
    """Run an announced suite and keep what it finds; what goes wrong is kept with state `error` and raised."""
    try:
        result = run_suite(suite, classifier, progress, auto_threshold=auto_threshold)
    except Exception as error:
        with sessions.begin() as session:
            values = {"state": "error", "complaints": [str(error) or type(error).__name__]}
            queries.finish_run(session, run_id=run.id, values=values)
        SUITE_RUNS.labels(run.trigger, "error").inc()
        raise
    keep(sessions, run, result)


def keep(sessions: sessionmaker[Session], run: SuiteRun, result: RunResult) -> None:
    """The figures and the cases, in one commit. A run that has finished already keeps what it has."""
    (told,) = to_json([result])
    values = {
        "state": "passed" if result.passed else "failed",
        "seconds": result.seconds,
        "n_cases": len(result.results),
        "n_passed": sum(case.passed for case in result.results),
        "pair_accuracy": result.pair_accuracy,
        "both_same_ratio": result.both_same_ratio,
        "failed_critical": len(result.failed_critical),
        "groups": told["groups"],
        "complaints": told["complaints"],
    }
    rows: list[dict[str, Any]] = [
        {
            "run_id": run.id,
            "number": number,
            "case_id": case["id"],
            **{name: case[name] for name in ("kind", "capability", "severity", "passed", "reason", "order_gap")},
            "readings": [{**reading, **_asked(judged.case)} for reading in case["readings"]],
        }
        for number, (case, judged) in enumerate(zip(told["cases"], result.results, strict=True))
    ]
    with sessions.begin() as session:
        finished = queries.finish_run(session, run_id=run.id, values=values)
        if finished:
            queries.add_cases(session, rows=rows)
            forget_erased(session, run_id=run.id)
    if finished:
        SUITE_RUNS.labels(run.trigger, values["state"]).inc()
        show_suite_run(
            run.suite,
            run.model_version,
            pass_ratio=result.pass_ratio,
            pair_accuracy=result.pair_accuracy,
            passed=result.passed,
            finished_at=datetime.now(UTC),
        )


def _asked(case: Case) -> dict[str, Any]:
    """What a case asks for beside the label."""
    if not isinstance(case, MinimumCase):
        return {}
    asked = {"expected_spans": case.spans, "expected_decision": case.decision}
    return {name: value for name, value in asked.items() if value}


def show_kept(sessions: sessionmaker[Session], *, model_version: str) -> None:
    """Say in the metrics what the newest runs on a model found, also those of other processes and of commands."""
    with sessions() as session:
        runs = queries.last_finished_runs(session, model_versions=[model_version])
    for run in runs:
        show_suite_run(
            run.suite,
            run.model_version,
            pass_ratio=(run.n_passed or 0) / run.n_cases if run.n_cases else 0.0,
            pair_accuracy=run.pair_accuracy,
            passed=run.state == "passed",
            finished_at=run.created_at + timedelta(seconds=run.seconds or 0.0),
        )


def run_all(
    sessions: sessionmaker[Session],
    suites: Sequence[Suite],
    classifier: Classifier,
    *,
    trigger: Trigger,
    actor: str,
    auto_threshold: float,
    progress: Progress,
) -> None:
    """Every suite on a model, in the caller's thread, each kept.

    Where one breaks, those behind it are kept as errors too, and what broke it is raised.
    """
    runs = announce(sessions, suites, model_version=classifier.version, trigger=trigger, actor=actor)
    for number, (run, suite) in enumerate(zip(runs, suites, strict=True)):
        try:
            execute(sessions, run, suite, classifier, auto_threshold=auto_threshold, progress=progress)
        except Exception as error:
            values = {"state": "error", "complaints": [f"not run, for one before it broke: {error}"]}
            with sessions.begin() as session:
                for behind in runs[number + 1 :]:
                    queries.finish_run(session, run_id=behind.id, values=values)
            raise


def record_finished(sessions: sessionmaker[Session], suite: Suite, result: RunResult, *, actor: str) -> None:
    """Keep a run that the command line has made."""
    (run,) = announce(sessions, [suite], model_version=result.model_version, trigger="cli", actor=actor)
    keep(sessions, run, result)
