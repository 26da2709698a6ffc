"""`refund-router classify`: labels without a service or a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from service import classify_file, mail_files
from service.cli.terminal import ModelOption, err, load_classifier, read_settings, refuse
from service.intake.errors import SourceError


def classify(
    texts: Annotated[list[str] | None, typer.Argument(help="Mails to label, one an argument.")] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="JSONL or CSV with id and text, subject, html or raw; .eml, mbox, Maildir or a folder of .eml.",
        ),
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--output", help="JSONL to write; the terminal by default, or for `-`.")
    ] = None,
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
        raise refuse("give either texts or --input FILE")
    if target is not None and (target.is_dir() or not target.parent.is_dir()):
        raise refuse(f"--output {target}: is no file in an existing folder")
    mails = _mails(source) if source else mail_files.from_texts(texts or [])
    classifier, settings = load_classifier(model), read_settings()
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading", total=len(mails))
        answers = classify_file.answers(
            classifier,
            mails,
            settings.auto_threshold,
            settings.overrides(),
            lambda n: progress.update(task, advance=n),
        )
        lines = (json.dumps(answer, ensure_ascii=False) for answer in answers)
        try:
            classify_file.write(lines, target)
        except OSError as error:
            raise refuse(f"{target or 'the terminal'}: {error.strerror}") from None
    if target not in (None, classify_file.TERMINAL):
        err.print(f"{len(mails)} mails → {target}")


def _mails(source: Path) -> list[mail_files.Mail]:
    """All of them, so that a bad row stops the run before anything is written."""
    found = mail_files.iterate(source, read_settings().own_address_set())
    try:
        with Progress(console=err, transient=True) as progress:
            return list(progress.track(found, description="parsing"))
    except SourceError as error:
        raise refuse(str(error)) from None
