"""`refund-router models`: which models there are, and which one serves. Running services follow the database."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.table import Table

from service.cli.opening import opened, suite_runs, who
from service.cli.terminal import err, out, print_table
from service.errors import Conflict
from service.model_answers import model_answers
from service.promotion import promote, roll_back, serving_version
from service.tables import Promotion

app = typer.Typer(no_args_is_help=True, help="The models: which there are, and which one serves.")


@app.command("list")
def list_models(as_json: Annotated[bool, typer.Option("--json", help="Print JSON, a model a line.")] = False) -> None:
    """Every model folder with its card's figures and how many suites it passed last; the one that serves has a star.

    Example: `REFUND_ROUTER_MODELS_FOLDER=models refund-router models list`
    """
    with opened() as (_, sessions, shelf):
        serving = serving_version(sessions, shelf)
        with sessions() as session:
            answers = model_answers(session, shelf.models(), serving_version=serving)
    if as_json:
        for answer in answers:
            out.print(json.dumps(answer.model_dump(mode="json")), markup=False, soft_wrap=True)
        return
    table = Table("", "version", "folder", "accuracy", "both of a pair", "suites", "languages", "problem")
    for answer in answers:
        figures = answer.evaluations[0] if answer.evaluations else None
        pairs = figures.pairs_both_right if figures is not None else None
        table.add_row(
            "*" if answer.serving else "",
            answer.version or "",
            answer.folder,
            f"{figures.accuracy:.1%} of {figures.mails}" if figures is not None else "",
            f"{pairs:.1%}" if pairs is not None else "",
            f"{sum(run.state == 'passed' for run in answer.suites)} of {len(answer.suites)}" if answer.suites else "",
            " ".join(answer.languages or []),
            answer.problem or "",
        )
    print_table(table)


@app.command("promote")
def promote_model(
    version: Annotated[str, typer.Argument(help="Version as `models list` shows it.")],
    force: Annotated[bool, typer.Option(help="Let it serve although a suite fails; needs --reason.")] = False,
    reason: Annotated[str | None, typer.Option(help="Why; kept with the promotion.")] = None,
) -> None:
    """Run the order suites on a model and let it serve where none fails; running services follow within seconds.

    Exit code 1 where a suite fails. Example: `refund-router models promote 2026.12.1+9f3c2e1`
    """
    with opened() as (settings, sessions, shelf), Progress(console=err, transient=True) as progress:
        task = progress.add_task("order suites")
        runs = suite_runs(settings, sessions)
        try:
            promotion = promote(
                sessions,
                shelf,
                runs,
                version=version,
                actor=who(),
                force=force,
                reason=reason,
                progress=lambda done, total: progress.update(task, completed=done, total=total),
            )
        except Conflict as error:
            if "failing" not in error.extra:
                raise
            _print_failing(error.extra["failing"])
            raise typer.Exit(1) from None
    _say(promotion)


@app.command("rollback")
def roll_back_model(reason: Annotated[str | None, typer.Option(help="Why; kept with the rollback.")] = None) -> None:
    """Let the model serve that served before the newest promotion that still stands.

    Example: `refund-router models rollback --reason "reads fees as items"`
    """
    with opened() as (_, sessions, shelf):
        _say(roll_back(sessions, shelf, actor=who(), reason=reason))


def _print_failing(failing: list[dict[str, Any]]) -> None:
    for suite in failing:
        for complaint in suite["complaints"]:
            out.print(f"{suite['suite']}: {complaint}", markup=False, soft_wrap=True)
        out.print(f"{suite['suite']}: {suite['failed_cases']} cases failed, run {suite['run_id']}", markup=False)
    err.print("not promoted; --force --reason … lets it serve all the same")


def _say(promotion: Promotion) -> None:
    err.print(f"{promotion.to_version} serves in place of {promotion.from_version}", markup=False, soft_wrap=True)
