"""Mails out of files, ready to be read: JSONL, CSV, .eml, mbox, Maildir, a folder of .eml."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from service.intake.compose import Intake, compose, compose_mail
from service.intake.deadline import within
from service.intake.errors import LimitError, SourceError
from service.intake.mime import parse_mail
from service.intake.sources import CsvRow, iterate_csv, iterate_mails
from service.schemas.wire import Text, Wire

MAIL_SUFFIXES = (".eml", ".mbox", ".mbx")


@dataclass(frozen=True)
class Mail:
    """One mail to label, with the id that its answer bears."""

    id: str | int
    intake: Intake


class Row(Wire):
    """One line of JSONL."""

    id: str | int
    text: Text | None = None
    subject: Text | None = None
    html: Text | None = None
    raw: str | None = None
    cut: Annotated[bool, Field(strict=True)] = True


def from_texts(texts: list[str]) -> list[Mail]:
    """Numbered from 1, read as they are. A byte that was no UTF-8 on the command line becomes a question mark."""
    return [Mail(n, Intake(text.encode("utf-8", "replace").decode())) for n, text in enumerate(texts, 1)]


def iterate(path: Path, own_addresses: Collection[str] = ()) -> Iterator[Mail]:
    """The mails of a file or folder, by its name and, for an mbox of any name, its first bytes; else JSONL. Raises
    SourceError naming file, row and field."""
    if path.is_dir() or path.suffix.lower() in MAIL_SUFFIXES or _begins_as_mbox(path):
        for name, raw in iterate_mails(path):
            yield Mail(name, _read_raw(raw, f"{path}: mail {name!r}", own_addresses))
    elif path.suffix.lower() == ".csv":
        for row in iterate_csv(path):
            yield Mail(row.id, _read_row(row, f"{path}: row {row.row}", own_addresses))
    else:
        yield from _iterate_jsonl(path, own_addresses)


def _begins_as_mbox(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return path.is_file() and stream.read(5) == b"From "
    except OSError:
        return False


def _iterate_jsonl(path: Path, own_addresses: Collection[str]) -> Iterator[Mail]:
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    where = f"{path}: row {number}"
                    row = _row(line, where)
                    yield Mail(row.id, _read_row(row, where, own_addresses))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error


def _row(line: bytes, where: str) -> Row:
    try:
        row = Row.model_validate(json.loads(line.decode()))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise SourceError(f"{where}: field {name!r}: {first['msg']}" if name else f"{where}: {first['msg']}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{where}: is not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where}: is not JSON: {error}") from error
    if row.raw is None and row.text is None and row.subject is None and row.html is None:
        raise SourceError(f"{where}: field 'text' is missing (or subject, html, raw)")
    return row


def _read_row(row: Row | CsvRow, where: str, own_addresses: Collection[str]) -> Intake:
    if row.raw is not None:
        return _read_raw(row.raw.encode("utf-8", "surrogatepass"), f"{where}: field 'raw'", own_addresses)
    cut = row.cut if isinstance(row, Row) else True
    try:
        with within():
            return compose(subject=row.subject, text=row.text, html=row.html, cut=cut)
    except LimitError as error:
        raise SourceError(f"{where}: {error}") from error


def _read_raw(raw: bytes, where: str, own_addresses: Collection[str]) -> Intake:
    try:
        with within():
            return compose_mail(parse_mail(raw, own_addresses=own_addresses))
    except LimitError as error:
        raise SourceError(f"{where}: {error}") from error
