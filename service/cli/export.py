"""`refund-router export`: stored mails, or agents' corrections as training mails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import Progress
from sqlalchemy.exc import SQLAlchemyError

from model.config import LABELS
from service import exporting
from service.classify_file import write
from service.cli.terminal import err, open_database, read_settings, refuse, refuse_database
from service.queries import exports as queries
from service.tables import Email


def export(
    target: Annotated[Path | None, typer.Option("--output", help="File to write; the terminal by default.")] = None,
    corrections: Annotated[
        bool, typer.Option("--corrections", help="Only corrected mails, as training mails with marked spans.")
    ] = False,
    form: Annotated[
        Literal["jsonl", "csv"] | None, typer.Option("--format", help="jsonl or csv; by the name of --output.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Stored, or corrected, since then (UTC)."),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Only mails on which this label stands.")] = None,
) -> None:
    """Write the stored mails with their predictions, or agents' corrections as training mails.

    Examples: `refund-router export --corrections --since 2026-12-01 --output corrections.jsonl` ·
    `refund-router export --output mails.csv`
    """
    if label is not None and label not in LABELS:
        raise refuse(f"--label {label}: is none of {', '.join(LABELS)}")
    if target is not None and (target.is_dir() or not target.parent.is_dir()):
        raise refuse(f"--output {target}: is no file in an existing folder")
    form = form or ("csv" if target is not None and target.suffix.lower() == ".csv" else "jsonl")
    if corrections and form == "csv":
        raise refuse("--corrections: training mails are JSONL, not CSV")
    since = since.replace(tzinfo=UTC) if since is not None else None
    written = 0
    with open_database(read_settings().database_url) as sessions, Progress(console=err, transient=True) as progress:
        try:
            with sessions() as session:
                where = queries.exported(corrections=corrections, since=since)
                total = queries.count_exported(session, where=where)
            task = progress.add_task("exporting", total=total)
            found = exporting.mails(
                sessions,
                corrections=corrections,
                since=since,
                label=label,
                advance=lambda n: progress.update(task, advance=n),
            )

            def lines() -> Iterator[str]:
                nonlocal written
                if form == "csv":
                    yield exporting.csv_row(exporting.COLUMNS)
                for email in found:
                    if corrections and email.erased_at is not None:
                        continue
                    written += 1
                    yield _line(email, corrections, form)

            write(lines(), target)
        except SQLAlchemyError as error:
            raise refuse_database(error) from None
        except OSError as error:
            raise refuse(f"{target or 'the terminal'}: {error.strerror}") from None
    if target is not None:
        err.print(f"{written} mails → {target}")


def _line(email: Email, corrections: bool, form: str) -> str:
    if corrections:
        return exporting.training_line(email)
    return exporting.csv_line(email) if form == "csv" else exporting.json_line(email)
