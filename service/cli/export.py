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
from service.classify_file import TERMINAL, write
from service.cli.terminal import err, open_database, read_settings, refuse, refuse_database, write_file
from service.queries import exports as queries
from service.queries.shop_cases import standing_cases
from service.shop_suite import to_yaml
from service.tables import Email


def export(
    target: Annotated[
        Path | None, typer.Option("--output", help="File to write; the terminal by default, or for `-`.")
    ] = None,
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
    cases: Annotated[
        Path | None, typer.Option("--cases", help="Write the shop's own cases into this file, as a suite; no mails.")
    ] = None,
) -> None:
    """Write the stored mails with their predictions, agents' corrections as training mails, or the shop's cases.

    Examples: `refund-router export --corrections --since 2026-12-01 --output corrections.jsonl` ·
    `refund-router export --output mails.csv` · `refund-router export --cases our-suites/shop.yaml`
    """
    if cases is not None:
        if corrections or target is not None or form is not None or since is not None or label is not None:
            raise refuse("--cases: stands alone")
        _export_cases(cases)
        return
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
    if target not in (None, TERMINAL):
        err.print(f"{written} mails → {target}")


def _export_cases(target: Path) -> None:
    """The standing cases; where there are none no file is made, for a suite of none is no suite."""
    with open_database(read_settings().database_url) as sessions:
        try:
            with sessions() as session:
                rows = standing_cases(session)
        except SQLAlchemyError as error:
            raise refuse_database(error) from None
    if not rows:
        raise refuse(f"--cases {target}: no case stands, so nothing was written")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refuse(f"--cases {target}: its folder cannot be made: {error.strerror}") from None
    write_file(target, to_yaml(rows))
    err.print(f"{len(rows)} cases → {target}", markup=False)


def _line(email: Email, corrections: bool, form: str) -> str:
    if corrections:
        return exporting.training_line(email)
    return exporting.csv_line(email) if form == "csv" else exporting.json_line(email)
