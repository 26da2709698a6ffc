"""What the commands share: the two terminals, refusals with exit code 2, and what a start needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.measure import Measurement
from rich.progress import Progress
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from model.classifier import Classifier
from service.backfill import backfill
from service.database import make_engine, make_sessions
from service.model_shelf import load_copy
from service.settings import ENV_PREFIX, Settings, released_model
from service.upgrade import UnknownSchema, upgrade

out, err = Console(highlight=False), Console(stderr=True, highlight=False)
WIDEST = 10_000  # characters that a table may take

ModelOption = Annotated[Path | None, typer.Option("--model", help="Model folder; the released one by default.")]


def print_table(table: Table) -> None:
    """As wide as its cells are, so that none is cut; a narrower terminal goes on in the next line."""
    table.width = Measurement.get(out, out.options.update(max_width=WIDEST), table).maximum
    out.print(table, no_wrap=True, overflow="ignore", crop=False)


def refuse(message: str) -> typer.Exit:
    err.print(f"refund-router: {message}", markup=False, soft_wrap=True)
    return typer.Exit(2)


def read_settings(**given: Any) -> Settings:
    """From the environment, and from options where they were given."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise refuse(f"setting {ENV_PREFIX}{name}: {first['msg']}") from None


def prepare(**given: Any) -> tuple[Settings, Classifier]:
    """What a start needs: right settings, a whole model, a database that is up to date; else exit code 2."""
    settings = read_settings(**given)
    classifier = load_classifier(settings.model_folder)
    upgrade_database(settings.database_url)
    return settings, classifier


def load_classifier(folder: Path | None) -> Classifier:
    try:
        return load_copy(folder or released_model())
    except ModelFolderError as error:
        raise refuse(str(error)) from None


def upgrade_database(database_url: str) -> None:
    try:
        upgrade(database_url)
        _add_words(database_url)
    except ModuleNotFoundError as error:
        raise refuse(f"database: {error}; pip install 'refund-router[postgres]'") from None
    except (SQLAlchemyError, UnknownSchema, OSError) as error:
        raise refuse_database(error) from None


def refuse_database(error: Exception) -> typer.Exit:
    cause = getattr(error, "orig", None) or error
    return refuse(f"database: {str(cause).strip().splitlines()[0]}")


@contextmanager
def open_database(database_url: str) -> Iterator[sessionmaker[Session]]:
    """A database that is brought up to date, for one command."""
    upgrade_database(database_url)
    engine = make_engine(database_url, timeout_seconds=60)
    try:
        yield make_sessions(engine)
    finally:
        engine.dispose()


def _add_words(database_url: str) -> None:
    """The full-text index of mails from before it, with a bar where there are any."""
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("words of stored mails", total=None, visible=False)
        backfill(
            database_url,
            begin=lambda total: progress.update(task, total=total, visible=True),
            advance=lambda added: progress.advance(task, added),
        )


def write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise refuse(f"{path}: {error.strerror}") from None
