"""Labelling without a service: rows of a file in, answers with the same ids out, in order."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from model.classifier import Classifier
from model.decision import read_texts
from service.intake.compose import compose
from service.intake.errors import IntakeError
from service.intake.mime import parse_mail
from service.schemas import Text, Wire

BATCH = 64


class InputError(ValueError):
    """A file that cannot be read as mails; says file, row and field."""


class Row(Wire):
    """One line of the input."""

    id: str | int
    text: Text | None = None
    subject: Text | None = None
    html: Text | None = None
    raw: Text | None = None

    def words(self) -> str:
        if self.raw is not None:
            mail = parse_mail(self.raw.encode())
            return compose(subject=mail.subject, text=mail.text, html=mail.html).text
        return compose(subject=self.subject, text=self.text, html=self.html).text


def write(lines: Iterable[str], target: Path | None) -> None:
    """To the terminal, or to a file that is whole or, after a fault, as it was; a device is written as it is."""
    if target is None:
        for line in lines:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    by_rename = not target.exists() or target.is_file()
    path = target.with_name(target.name + ".partial") if by_rename else target
    try:
        with path.open("w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in lines)
        if by_rename:
            path.replace(target)
    except OSError:
        if by_rename:
            path.unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class Mail:
    """One text to label, with the id that its answer bears."""

    id: str | int
    text: str


def from_texts(texts: list[str]) -> list[Mail]:
    """Numbered from 1. A byte that was no UTF-8 on the command line becomes a question mark."""
    return [Mail(n, text.encode("utf-8", "replace").decode()) for n, text in enumerate(texts, 1)]


def read(path: Path) -> list[Mail]:
    """The mails of a JSONL file. Raises InputError naming file, row and field."""
    mails = []
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    mails.append(_row(line, f"{path}: row {number}"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    return mails


def _row(line: bytes, where: str) -> Mail:
    try:
        row = Row.model_validate(json.loads(line.decode()))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise InputError(f"{where}: field {name!r}: {first['msg']}" if name else f"{where}: {first['msg']}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: is not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not JSON: {error}") from error
    if row.raw is None and row.text is None and row.subject is None and row.html is None:
        raise InputError(f"{where}: field 'text' is missing (or subject, html, raw)")
    try:
        return Mail(row.id, row.words())
    except IntakeError as error:
        raise InputError(f"{where}: field 'raw': {error}") from error


def answers(
    classifier: Classifier, mails: list[Mail], auto_threshold: float, advance: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    """One answer a mail, in order, with the fields of the HTTP answer that need no database."""
    for start in range(0, len(mails), BATCH):
        batch = mails[start : start + BATCH]
        reads = read_texts(classifier, [mail.text for mail in batch], default_threshold=auto_threshold)
        for mail, read in zip(batch, reads, strict=True):
            prediction, check = read.prediction, read.check
            yield {
                "id": mail.id,
                "label": prediction.label,
                "confidence": prediction.confidence,
                "decision": read.decision.decision,
                "reasons": list(read.decision.reasons),
                "probabilities": [{"label": k, "probability": v} for k, v in prediction.probabilities.items()],
                "spans": [asdict(span) for span in prediction.spans],
                "order_check": asdict(check) if check is not None else None,
                "text": mail.text,
                "truncated": prediction.truncated,
                "model_version": classifier.version,
            }
        advance(len(batch))
