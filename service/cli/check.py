"""`refund-router check`: the order-sensitivity suites on a model."""

from __future__ import annotations

import json
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from model.checks.baseline import Baseline, BaselineError, Comparison, compare, from_run, read_baseline
from model.checks.page import to_html
from model.checks.report import reading_line, to_json, to_junit
from model.checks.results import CaseResult, RunResult
from model.checks.runner import run_suite
from model.checks.schema import Suite, SuiteError, read_suites
from model.classifier import Classifier
from service.cli.opening import opened, suite_runs, who
from service.cli.terminal import ModelOption, err, load_classifier, out, read_settings, refuse, write_file
from service.recording import record_finished


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
    baseline: Annotated[
        Path | None,
        typer.Option(help="A model folder, or what `--json` wrote: a group that fell significantly fails the run."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every case as JSON.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write one page with every case and figure.")] = None,
    record: Annotated[
        bool,
        typer.Option(help="Keep runs and cases in REFUND_ROUTER_DATABASE_URL; by default of all suites that it has."),
    ] = False,
) -> None:
    """Run the order-sensitivity suites on a model. Exit code 1 when one fails.

    A suite fails when a group of its cases passes less often than its floor (`fail_under`), when a critical case
    fails, or when a group or the whole suite fell against the baseline by more than chance (exact McNemar, p < 0.05).

    Examples: `refund-router check --model runs/mine/model --junit report.xml` ·
    `refund-router check --model runs/mine/model --baseline model/released --html report.html` ·
    `refund-router check --suite our-suites --only negation`
    """
    settings = read_settings()
    if record and only:
        raise refuse("--record keeps whole suites, so not with --only")
    suites = _read(suite or settings.suite_files(), only or [])
    baselines = _read_baselines(baseline)
    _refuse_without(suites, baselines, baseline)
    classifier = load_classifier(model)
    with opened() if record else nullcontext() as database:  # before the run, so that it is not lost at its end
        if database is not None:
            suites = _recordable(suites, suite_runs(settings, database[1]).suites(), named=bool(suite))
            _refuse_without(suites, baselines, baseline)
        runs = _run(suites, classifier, settings.auto_threshold)
        if database is not None:
            for run in runs:
                record_finished(database[1], run.suite, run, actor=who())
    if baseline is not None and baseline.is_dir():
        before = _run(suites, load_classifier(baseline), settings.auto_threshold)
        baselines = {run.suite.name: from_run(run) for run in before}
    comparisons = {
        run.suite.name: compare(run, baselines[run.suite.name]) for run in runs if run.suite.name in baselines
    }
    for run in runs:
        _print_run(run)
        if run.suite.name in comparisons:
            _print_comparison(comparisons[run.suite.name])
        elif baseline is not None:
            err.print(f"{baseline}: holds no run of {run.suite.name}", markup=False, soft_wrap=True)
    if json_file is not None:
        write_file(json_file, json.dumps(to_json(runs, comparisons), indent=2, ensure_ascii=False) + "\n")
    if junit is not None:
        write_file(junit, to_junit(runs))
    if html is not None:
        write_file(html, to_html(runs, comparisons))
    if not all(run.passed for run in runs) or any(comparison.falls for comparison in comparisons.values()):
        raise typer.Exit(1)


def _run(suites: list[Suite], classifier: Classifier, auto_threshold: float) -> list[RunResult]:
    with Progress(console=err, transient=True) as progress:
        tasks = [progress.add_task(f"{entry.name} on {classifier.version}") for entry in suites]
        return [
            run_suite(entry, classifier, partial(_show, progress, task), auto_threshold=auto_threshold)
            for entry, task in zip(suites, tasks, strict=True)
        ]


def _read_baselines(path: Path | None) -> dict[str, Baseline]:
    """Of a file; a model folder has to be run first."""
    if path is None or path.is_dir():
        return {}
    try:
        return {entry.suite: entry for entry in read_baseline(path)}
    except BaselineError as error:
        raise refuse(str(error)) from None


def _refuse_without(suites: list[Suite], baselines: dict[str, Baseline], path: Path | None) -> None:
    """A file that has none of the suites compares nothing, which would look like a pass."""
    if baselines and not any(entry.name in baselines for entry in suites):
        names = ", ".join(entry.name for entry in suites)
        raise refuse(f"{path}: holds no run of {names}, but of {', '.join(baselines)}")


def _recordable(asked: list[Suite], own: list[Suite], *, named: bool) -> list[Suite]:
    """The service's own suites, or those of the named files. A file that only has the name of one of the service's is
    refused: its runs would stand for the other's in metrics and trends."""
    if not named:
        return own
    known = {entry.name: entry.sha256 for entry in own}
    for entry in asked:
        if known.get(entry.name, entry.sha256) != entry.sha256:
            raise refuse(
                f"--record: the service has another suite named {entry.name!r}; give this one a name of its own"
            )
    return asked


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


def _print_comparison(comparison: Comparison) -> None:
    broken, mended = len(comparison.broken), len(comparison.mended)
    against = f"against {comparison.baseline.model_version}, {comparison.compared} cases"
    if comparison.not_compared:
        against += f" ({comparison.not_compared} more are not in the baseline)"
    out.print(f"    {against}: {broken} newly broken, {mended} newly mended", markup=False, soft_wrap=True)
    for word, results in (("broken", comparison.broken), ("mended", comparison.mended)):
        for result in results:
            out.print(f"        {word}  {result.case.id}", markup=False, soft_wrap=True)
    for change in comparison.changes:
        out.print(f"        {change}{': FAILED' if change.is_fall else ''}", markup=False, soft_wrap=True)


def _print_case(result: CaseResult) -> None:
    gap = "" if result.order_gap is None else f"  order gap {result.order_gap:.2f}"
    reason = f"  {result.reason}" if result.reason else ""
    out.print(f"{'ok  ' if result.passed else 'FAIL'}  {result.case.id}{gap}{reason}", markup=False, soft_wrap=True)
    if not result.passed:
        for reading in result.readings:
            out.print(f"        {reading_line(reading)}", markup=False, soft_wrap=True)
