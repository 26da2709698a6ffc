"""`refund-router`: serve, classify, check, db upgrade. Exit codes: 0 well, 1 a check failed, 2 bad input."""

from __future__ import annotations

import json
import logging
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from alembic.util.exc import CommandError
from pydantic import ValidationError
from rich.console import Console
from rich.progress import Progress, TaskID
from sqlalchemy.exc import SQLAlchemyError

from model.checkpoint import ModelFolderError
from model.checks.report import to_json, to_junit
from model.checks.runner import CaseResult, RunResult, run_suite
from model.checks.schema import SuiteError, read_suite, shipped_suites
from model.classifier import Classifier
from service import classify_file, mail_files
from service.intake.errors import SourceError
from service.settings import ENV_PREFIX, Settings, released_model
from service.upgrade import upgrade

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False
)
database = typer.Typer(no_args_is_help=True, help="The database.")
app.add_typer(database, name="db")
out, err = Console(highlight=False), Console(stderr=True, highlight=False)

ModelOption = Annotated[Path | None, typer.Option("--model", help="Model folder; the released one by default.")]


def _refuse(message: str) -> typer.Exit:
    err.print(f"refund-router: {message}", markup=False, soft_wrap=True)
    return typer.Exit(2)


def _settings(**given: Any) -> Settings:
    """From the environment, and from options where they were given."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise _refuse(f"setting {ENV_PREFIX}{name}: {first['msg']}") from None


def prepare(**given: Any) -> tuple[Settings, Classifier]:
    """What a start needs: right settings, a whole model, a database that is up to date; else exit code 2."""
    settings = _settings(**given)
    classifier = _classifier(settings.model_folder)
    _upgrade(settings.database_url)
    return settings, classifier


def _classifier(folder: Path | None) -> Classifier:
    try:
        return Classifier(folder or released_model())
    except ModelFolderError as error:
        raise _refuse(str(error)) from None


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
) -> None:
    """Start the HTTP service and the console, on a database that is brought up to date first.

    Example: `refund-router serve --port 8080`
    """
    import uvicorn

    from service.app import create_app

    settings, classifier = prepare(host=host, port=port)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    err.print(f"console: http://{settings.host}:{settings.port}/")
    uvicorn.run(
        create_app(settings, classifier), host=settings.host, port=settings.port, log_level="warning", lifespan="on"
    )


@app.command()
def classify(
    texts: Annotated[list[str] | None, typer.Argument(help="Mails to label, one an argument.")] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="JSONL or CSV with id and text, subject, html or raw; .eml, mbox, Maildir or a folder of .eml.",
        ),
    ] = None,
    target: Annotated[Path | None, typer.Option("--output", help="JSONL to write; the terminal by default.")] = None,
    model: ModelOption = None,
) -> None:
    """Label mails without a service or a database.

    Of a file's mails the customer's own words are read; a line of JSONL with `"cut": false` is read whole. Answers keep
    the order and the ids: a row's `id`, an .eml's name, an mbox's `name#1`, `name#2`, a Maildir's unique names.

    Examples: `refund-router classify "Refund the fee, not the cake."` ·
    `refund-router classify --input mails.jsonl --output out.jsonl` ·
    `refund-router classify --input mails.csv` ·
    `refund-router classify --input complaint.eml` ·
    `refund-router classify --input archive.mbox --output out.jsonl` ·
    `refund-router classify --input ~/Maildir --output out.jsonl`
    """
    if bool(texts) == bool(source):
        raise _refuse("give either texts or --input FILE")
    if target is not None and (target.is_dir() or not target.parent.is_dir()):
        raise _refuse(f"--output {target}: is no file in an existing folder")
    mails = _mails(source) if source else mail_files.from_texts(texts or [])
    classifier = _classifier(model)
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading", total=len(mails))
        answers = classify_file.answers(
            classifier, mails, _settings().auto_threshold, lambda n: progress.update(task, advance=n)
        )
        lines = (json.dumps(answer, ensure_ascii=False) for answer in answers)
        try:
            classify_file.write(lines, target)
        except OSError as error:
            raise _refuse(f"{target or 'the terminal'}: {error.strerror}") from None
    if target is not None:
        err.print(f"{len(mails)} mails → {target}")


def _mails(source: Path) -> list[mail_files.Mail]:
    """All of them, so that a bad row stops the run before anything is written."""
    found = mail_files.iterate(source, _settings().own_address_set())
    try:
        with Progress(console=err, transient=True) as progress:
            return list(progress.track(found, description="parsing"))
    except SourceError as error:
        raise _refuse(str(error)) from None


@app.command()
def check(
    suite: Annotated[
        list[Path] | None, typer.Option(help="Suite file; may be repeated; the shipped ones by default.")
    ] = None,
    model: ModelOption = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every case as JSON.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
) -> None:
    """Run the order-sensitivity suites on a model. Exit code 1 when one fails.

    Example: `refund-router check --model runs/mine/model --junit report.xml`
    """
    try:
        suites = [read_suite(path) for path in suite or shipped_suites()]
    except SuiteError as error:
        raise _refuse(str(error)) from None
    classifier = _classifier(model)
    runs: list[RunResult] = []
    with Progress(console=err, transient=True) as progress:
        for entry in suites:
            task = progress.add_task(entry.name)
            runs.append(run_suite(entry, classifier, partial(_show, progress, task)))
    for run in runs:
        _print_run(run)
    for path, text in (
        (json_file, json.dumps(to_json(runs), indent=2, ensure_ascii=False) + "\n"),
        (junit, to_junit(runs)),
    ):
        if path is not None:
            _write(path, text)
    if not all(run.passed for run in runs):
        raise typer.Exit(1)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refuse(f"{path}: {error.strerror}") from None


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


def _print_case(result: CaseResult) -> None:
    gap = "" if result.order_gap is None else f"  order gap {result.order_gap:.2f}"
    reason = f"  {result.reason}" if result.reason else ""
    out.print(f"{'ok  ' if result.passed else 'FAIL'}  {result.case.id}{gap}{reason}", markup=False, soft_wrap=True)
    if not result.passed:
        for reading in result.readings:
            line = f"        {reading.text!r}: {reading.label} {reading.confidence:.3f}, expected {reading.expected}"
            out.print(line, markup=False, soft_wrap=True)


def _upgrade(database_url: str) -> None:
    try:
        upgrade(database_url)
    except ModuleNotFoundError as error:
        raise _refuse(f"database: {error}; pip install 'refund-router[postgres]'") from None
    except (SQLAlchemyError, CommandError, OSError) as error:
        cause = getattr(error, "orig", None) or error
        raise _refuse(f"database: {str(cause).strip().splitlines()[0]}") from None


@database.command("upgrade")
def db_upgrade() -> None:
    """Create or update the tables of REFUND_ROUTER_DATABASE_URL.

    Example: `REFUND_ROUTER_DATABASE_URL=postgresql://… refund-router db upgrade`
    """
    _upgrade(_settings().database_url)
    err.print("the database is up to date")


if __name__ == "__main__":
    app()
