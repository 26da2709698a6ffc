"""Mails out of files, one at a time: .eml, mbox, Maildir, a folder of .eml, CSV.

Only one mail is held at a time; one that is over the limit is cut just past it, so that parse_mail refuses it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from service.intake.errors import Limits, SourceError

SEPARATOR = re.compile(rb"From \S+.*\b\d{2}:\d{2}.*\d{4}\s*$")  # also "From ???@??? Mon …", as Eudora wrote
ANY_SEPARATOR = re.compile(rb"From \S")
ESCAPED = re.compile(rb">+From ")
COLUMNS = ("id", "text", "subject", "html", "raw")


@dataclass(frozen=True)
class CsvRow:
    """One row; a missing or empty cell is None."""

    id: str
    text: str | None = None
    subject: str | None = None
    html: str | None = None
    raw: str | None = None
    row: int = field(default=0, compare=False)  # in the file; the header is 1


def iterate_mails(path: Path, limits: Limits | None = None) -> Iterator[tuple[str, bytes]]:
    """(id, raw bytes) of each mail of a Maildir, a folder of .eml, an .eml or else an mbox. Raises SourceError."""
    most = (limits or Limits()).mail_bytes + 1
    if path.is_dir():
        yield from iterate_maildir(path, most) if (path / "cur").is_dir() else iterate_folder(path, most)
    elif path.suffix.lower() == ".eml":
        yield path.name, _read(path, most)
    else:
        yield from iterate_mbox(path, most)


def iterate_folder(path: Path, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The .eml files of a folder, in the order of their names."""
    files = sorted(file for file in _entries(path) if file.suffix.lower() == ".eml" and file.is_file())
    if not files:
        raise SourceError(f"{path}: holds no .eml file")
    for file in files:
        yield file.name, _read(file, most_bytes)


def iterate_maildir(path: Path, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The mails of new and cur, in the order of their unique names, which are the ids (flags left out)."""
    files = [file for name in ("new", "cur") if (path / name).is_dir() for file in _entries(path / name)]
    for file in sorted((file for file in files if not file.name.startswith(".")), key=lambda file: file.name):
        yield file.name.partition(":2,")[0], _read(file, most_bytes)


def iterate_mbox(path: Path, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The mails of an mbox, with ids `name#1`, `name#2`, …; `>From ` is `From ` again (mboxrd)."""
    lines: list[bytes] = []
    size = number = 0
    after_empty = True
    try:
        with path.open("rb") as stream:
            while line := stream.readline(most_bytes):
                if after_empty and (SEPARATOR if number else ANY_SEPARATOR).match(line):
                    if number:
                        yield f"{path.name}#{number}", _mail(lines)
                    number, size, lines = number + 1, 0, []
                    after_empty = False
                    continue
                if not number and line.strip():
                    raise SourceError(f"{path}: is no mbox: its first line does not begin with 'From '")
                after_empty = not line.strip(b"\r\n")
                if size < most_bytes:
                    lines.append(line[1:] if ESCAPED.match(line) else line)
                    size += len(line)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error
    if number:
        yield f"{path.name}#{number}", _mail(lines)


def _mail(lines: list[bytes]) -> bytes:
    """A mail without the empty line that mbox puts after it."""
    if lines and not lines[-1].strip(b"\r\n"):
        lines = lines[:-1]
    return b"".join(lines)


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error


def _read(path: Path, most_bytes: int) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(most_bytes)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error


def iterate_csv(path: Path, limits: Limits | None = None) -> Iterator[CsvRow]:
    """The rows of a CSV file with a header line. Raises SourceError naming file, row (the header is 1) and field."""
    csv.field_size_limit((limits or Limits()).mail_bytes)  # Python's own is 128 KB; it can be set for the process only
    row = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            header = [name.strip().lower() for name in next(reader, [])]
            _check_header(path, header)
            for row, cells in enumerate(reader, 2):
                if cells:
                    yield _csv_row(path, row, header, cells)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: row {row + 1}: is not UTF-8") from error
    except csv.Error as error:
        raise SourceError(f"{path}: row {row + 1}: {error}") from error


def _check_header(path: Path, header: list[str]) -> None:
    for name in header:
        if name not in COLUMNS:
            raise SourceError(f"{path}: row 1: field {name!r}: is not one of {', '.join(COLUMNS)}")
        if header.count(name) > 1:
            raise SourceError(f"{path}: row 1: field {name!r}: stands there twice")
    if "id" not in header:
        raise SourceError(f"{path}: row 1: field 'id' is missing")
    if len(header) < 2:
        raise SourceError(f"{path}: row 1: field 'text' is missing (or subject, html, raw)")


def _csv_row(path: Path, row: int, header: list[str], cells: list[str]) -> CsvRow:
    where = f"{path}: row {row}"
    if len(cells) > len(header):
        raise SourceError(f"{where}: has {len(cells)} fields, the header {len(header)}")
    values = {name: cell for name, cell in zip(header, cells, strict=False) if cell}
    if not values.get("id", "").strip():
        raise SourceError(f"{where}: field 'id' is empty")
    if len(values) == 1:
        raise SourceError(f"{where}: field 'text' is empty (and subject, html, raw)")
    return CsvRow(**values, row=row)
