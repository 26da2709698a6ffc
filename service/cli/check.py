"""`refund-router check`: the order-sensitivity suites on a model."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from model.checks.report import reading_line, to_json, to_junit
from model.checks.results import CaseResult, RunResult
from model.checks.runner import run_suite
from model.checks.schema import Suite, SuiteError, read_suites
from service.cli.terminal import ModelOption, err, load_classifier, out, read_settings, refuse, write_file


def check(
    suite: Annotated[
        list[Path] | None,
        typer.Option(
            help="Suite file, or a folder of them; may be repeated. By default the shipped ones and the shop's."
        ),
    ] = None,
    model: ModelOption = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only cases of this group, capability or kind; may be repeated.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every case as JSON.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
) -> None:
    """Run the order-sensitivity suites on a model. Exit code 1 when one fails.

    A suite fails when a group of its cases passes less often than its floor (`fail_under`), or a critical case fails.

    Example: `refund-router check --model runs/mine/model --junit report.xml`
    """
    settings = read_settings()
    suites = _read(suite or settings.suite_files(), only or [])
    classifier = load_classifier(model)
    runs: list[RunResult] = []
    with Progress(console=err, transient=True) as progress:
        for entry in suites:
            show = partial(_show, progress, progress.add_task(entry.name))
            runs.append(run_suite(entry, classifier, show, auto_threshold=settings.auto_threshold))
    for run in runs:
        _print_run(run)
    for path, text in (
        (json_file, json.dumps(to_json(runs), indent=2, ensure_ascii=False) + "\n"),
        (junit, to_junit(runs)),
    ):
        if path is not None:
            write_file(path, text)
    if not all(run.passed for run in runs):
        raise typer.Exit(1)


def _read(paths: list[Path], only: list[str]) -> list[Suite]:
    try:
        suites = read_suites(paths)
    except SuiteError as error:
        raise refuse(str(error)) from None
    if not only:
        return suites
    for word in only:
        if not any(entry.only(word).cases for entry in suites):
            raise refuse(f"--only {word}: no case has this group, capability or kind")
    return [kept for entry in suites if (kept := entry.only(*only)).cases]


def _show(progress: Progress, task: TaskID, done: int, total: int) -> None:
    progress.update(task, completed=done, total=total)


def _print_run(run: RunResult) -> None:
    for result in run.results:
        _print_case(result)
    passed = sum(result.passed for result in run.results)
    pairs = (
        ""
        if run.pair_accuracy is None
        else f", pairs both right {run.pair_accuracy:.0%}, both the same {run.both_same_ratio:.0%}"
    )
    verdict = "passed" if run.passed else "FAILED"
    summary = f"{run.suite.name} on {run.model_version}: {passed} of {len(run.results)} cases{pairs}: {verdict}"
    out.print(summary, markup=False, soft_wrap=True)
    for complaint in run.complaints:
        out.print(f"    {complaint}", markup=False, soft_wrap=True)


def _print_case(result: CaseResult) -> None:
    gap = "" if result.order_gap is None else f"  order gap {result.order_gap:.2f}"
    reason = f"  {result.reason}" if result.reason else ""
    out.print(f"{'ok  ' if result.passed else 'FAIL'}  {result.case.id}{gap}{reason}", markup=False, soft_wrap=True)
    if not result.passed:
        for reading in result.readings:
            out.print(f"        {reading_line(reading)}", markup=False, soft_wrap=True)
