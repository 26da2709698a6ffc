"""What may be in a log: never a customer's words.

Every record passes here when it is made, so whatever handler or format writes it, it is clean:
- Card numbers, IBANs, phone numbers and mail addresses in messages are redacted.
- Of an exception the log gets types and places, never its message, for libraries quote what they were given: a database
  the row, a parser the text.
- Of a request's address the query is dropped, for it may be a search.
- Of SQLAlchemy's own records, which hold rows at DEBUG, only the first word of the message is kept.
"""

from __future__ import annotations

import logging
import traceback
from typing import Any

from service.redaction import redact


class _CleanRecords:
    """A record factory over another."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def __call__(self, *arguments: Any, **named: Any) -> logging.LogRecord:
        record: logging.LogRecord = self._make(*arguments, **named)
        try:
            message = record.getMessage()
        except (TypeError, ValueError):  # a library's wrong format; the arguments may be a customer's words
            message = str(record.msg)
        if record.name.startswith("sqlalchemy."):
            message = message.split(maxsplit=1)[0] if message.split() else ""
        if record.name == "uvicorn.access" and isinstance(record.args, tuple):  # its formatter wants the pieces
            record.args = tuple(
                redact(part.partition("?")[0]) if isinstance(part, str) else part for part in record.args
            )
        else:
            record.msg, record.args = redact(message), None
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = places(record.exc_info[1]), None
        return record


def install() -> None:
    """From now on every record of this process is clean. Again: nothing happens."""
    factory = logging.getLogRecordFactory()
    if not isinstance(factory, _CleanRecords):
        logging.setLogRecordFactory(_CleanRecords(factory))


def places(error: BaseException) -> str:
    """A traceback, with the types of the exceptions in place of their messages."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        seen.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    pieces = []
    for entry in reversed(seen):
        frames = traceback.extract_tb(entry.__traceback__)
        kind = f"{type(entry).__module__}.{type(entry).__qualname__}"
        pieces.append("Traceback (most recent call last):\n" + "".join(traceback.format_list(frames)) + kind)
        if isinstance(entry, BaseExceptionGroup):
            pieces += [places(member) for member in entry.exceptions]
    return "\n\n".join(pieces)
