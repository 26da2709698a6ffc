"""`refund-router models`: which models there are, and which one serves. Running services follow the database."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError, read_model_folder
from service.cli.terminal import err, out, read_settings, refuse, upgrade_database
from service.database import make_engine, make_sessions
from service.errors import ServiceError
from service.model_answers import model_answer
from service.model_shelf import ModelShelf
from service.promotion import promote, roll_back, serving_version
from service.settings import released_model
from service.tables import Promotion

app = typer.Typer(no_args_is_help=True, help="The models: which there are, and which one serves.")


@contextmanager
def _opened() -> Iterator[tuple[sessionmaker[Session], ModelShelf]]:
    """The database, brought up to date, and the shelf of the settings; what goes wrong is told in one line."""
    settings = read_settings()
    try:
        default_version = read_model_folder(settings.model_folder).version
    except ModelFolderError as error:
        raise refuse(str(error)) from None
    shelf = ModelShelf(
        settings.models_folder,
        default=settings.model_folder,
        default_version=default_version,
        released=released_model(),
    )
    upgrade_database(settings.database_url)
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    try:
        yield make_sessions(engine), shelf
    except ServiceError as error:
        raise refuse(error.detail) from None
    except SQLAlchemyError as error:
        raise refuse(f"database: {type(error).__name__}") from None
    finally:
        engine.dispose()


@app.command("list")
def list_models(as_json: Annotated[bool, typer.Option("--json", help="Print JSON, a model a line.")] = False) -> None:
    """Every model folder with its card's figures; the one that serves has a star.

    Example: `REFUND_ROUTER_MODELS_FOLDER=models refund-router models list`
    """
    with _opened() as (sessions, shelf):
        serving = serving_version(sessions, shelf)
        answers = [model_answer(model, serving_version=serving) for model in shelf.models()]
    if as_json:
        for answer in answers:
            out.print(json.dumps(answer.model_dump()), markup=False, soft_wrap=True)
        return
    table = Table("", "version", "folder", "accuracy", "both of a pair", "languages", "problem")
    for answer in answers:
        figures = answer.evaluations[0] if answer.evaluations else None
        pairs = figures.pairs_both_right if figures is not None else None
        table.add_row(
            "*" if answer.serving else "",
            answer.version or "",
            answer.folder,
            f"{figures.accuracy:.1%} of {figures.mails}" if figures is not None else "",
            f"{pairs:.1%}" if pairs is not None else "",
            " ".join(answer.languages or []),
            answer.problem or "",
        )
    out.print(table)


@app.command("promote")
def promote_model(version: Annotated[str, typer.Argument(help="Version as `models list` shows it.")]) -> None:
    """Let a model serve; running services follow within seconds.

    Example: `refund-router models promote 2026.12.1+9f3c2e1`
    """
    with _opened() as (sessions, shelf):
        _say(promote(sessions, shelf, version=version, actor=_who()))


@app.command("rollback")
def roll_back_model(reason: Annotated[str | None, typer.Option(help="Why; kept with the rollback.")] = None) -> None:
    """Let the model serve that served before the newest promotion that still stands.

    Example: `refund-router models rollback --reason "reads fees as items"`
    """
    with _opened() as (sessions, shelf):
        _say(roll_back(sessions, shelf, actor=_who(), reason=reason))


def _who() -> str:
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):  # a container's user may have no name
        return f"user {os.getuid()} (command line)"


def _say(promotion: Promotion) -> None:
    err.print(f"{promotion.to_version} serves in place of {promotion.from_version}", markup=False, soft_wrap=True)
