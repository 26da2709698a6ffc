"""Labelled mails: reading, checking and splitting by writer."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from model.config import LABELS
from training.markup import MarkedSpan, MarkupError, parse

CORPUS = Path(__file__).parent / "corpus"
Split = Literal["train", "development", "blind"]
OPTIONAL_FIELDS = ("trade", "channel", "lang")


class CorpusError(ValueError):
    """Bad labelled data; says file, line and field."""


@dataclass(frozen=True)
class Mail:
    """One labelled mail."""

    text: str
    label: str
    spans: tuple[MarkedSpan, ...] = ()
    writer: str = ""
    pair: str | None = None  # the two members of a mirror pair share it
    trade: str = ""
    channel: str = ""
    lang: str = "en"
    source: str = ""  # file:line, for error messages and reports


def read_mail(row: dict[str, Any], source: str, writer: str) -> Mail:
    """One JSON row to a Mail. Raises CorpusError naming the field at fault."""
    if unknown := sorted(set(row) - {"label", "text", "pair", *OPTIONAL_FIELDS}):
        raise CorpusError(f"{source}: field {unknown[0]!r} is unknown")
    for field in ("label", "text"):
        if not isinstance(row.get(field), str):
            raise CorpusError(f"{source}: field {field!r} is missing or not text")
    if row["label"] not in LABELS:
        raise CorpusError(f"{source}: field 'label': {row['label']!r} is none of {', '.join(LABELS)}")
    try:
        text, spans = parse(row["text"])
        text.encode()
    except (MarkupError, UnicodeEncodeError) as error:
        raise CorpusError(f"{source}: field 'text': {error}") from error
    pair = f"{writer}-{row['pair']}" if row.get("pair") is not None else None
    extra = {field: str(row[field]) for field in OPTIONAL_FIELDS if field in row}
    return Mail(text, row["label"], spans, writer, pair, source=source, **extra)


def read_file(path: Path) -> list[Mail]:
    """All mails of one writer's JSONL file. Raises CorpusError naming file, line and field."""
    mails = []
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            source = f"{path.name}:{number}"
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode())
            except ValueError as error:
                raise CorpusError(f"{source}: is not JSON: {error}") from error
            if not isinstance(row, dict):
                raise CorpusError(f"{source}: is not a JSON object")
            mails.append(read_mail(row, source, path.stem))
    return mails


@dataclass(frozen=True)
class Writer:
    """Who wrote a file, and what the file is used for."""

    name: str
    split: Split
    about: str


def read_writers(corpus: Path = CORPUS) -> list[Writer]:
    """The table of writers. Raises CorpusError for a wrong split, or a file without a writer and the reverse."""
    table = tomllib.loads((corpus / "writers.toml").read_text(encoding="utf-8"))
    writers = []
    for name, entry in table.items():
        if entry.get("split") not in get_args(Split):
            raise CorpusError(f"writers.toml: {name}: field 'split' is none of {', '.join(get_args(Split))}")
        writers.append(Writer(name, entry["split"], str(entry["about"])))
    files = {path.stem for path in (corpus / "hand").glob("*.jsonl")}
    for name in sorted(files ^ {writer.name for writer in writers}):
        raise CorpusError(f"writers.toml: {name}: has {'no entry' if name in files else 'no file in hand/'}")
    return writers


def read_split(split: Split, corpus: Path = CORPUS) -> list[Mail]:
    """Every mail of the writers of one split, in the order of the table."""
    return [
        mail
        for writer in read_writers(corpus)
        if writer.split == split
        for mail in read_file(corpus / "hand" / f"{writer.name}.jsonl")
    ]


WORDS = re.compile(r"\w+")


def normalised(text: str) -> str:
    """Words alone, for telling whether two mails are one."""
    return " ".join(WORDS.findall(text.casefold()))


def corpus_hash(mails: Iterable[Mail]) -> str:
    """SHA-256 over labels, texts and spans: names exactly what a model was trained on."""
    digest = hashlib.sha256()
    for mail in mails:
        marks = [(span.role, span.start, span.end) for span in mail.spans]
        digest.update(json.dumps([mail.label, mail.text, marks]).encode())
    return digest.hexdigest()
