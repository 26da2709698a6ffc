"""What the log's lines look like: JSON for machines, text for people. Both carry the request that a line belongs to.

The libraries log through the standard library, and so does this service; python-json-logger gives its records a shape.
What may be said in a line is no matter of its shape: no code of this service hands a mail's text to a log.
"""

from __future__ import annotations

import logging
import sys
from contextvars import ContextVar
from typing import Any, Literal

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

LogFormat = Literal["json", "text"]

REQUEST: ContextVar[dict[str, str] | None] = ContextVar("refund_router_request", default=None)  # its ids

_OWN = frozenset(RESERVED_ATTRS) | {"message", "asctime"}


class RequestFilter(logging.Filter):
    """Puts the ids of the request that is being answered on every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in (REQUEST.get() or {}).items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True


class TextFormatter(logging.Formatter):
    """A line for people, with the further fields behind it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        further = {name: value for name, value in vars(record).items() if name not in _OWN and value is not None}
        return " ".join([super().formatMessage(record), *(f"{name}={value}" for name, value in further.items())])


def json_formatter() -> logging.Formatter:
    return JsonFormatter(
        ["levelname", "name", "message"],
        rename_fields={"levelname": "level", "name": "logger", "exc_info": "error"},
        timestamp="time",
    )


def configure(shape: LogFormat, *, level: int = logging.INFO, stream: Any = None) -> None:
    """All records of the process, from `level` on, as lines of this shape; on standard error by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(RequestFilter())
    handler.setFormatter(json_formatter() if shape == "json" else TextFormatter())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
