"""Whether this process tells OpenTelemetry what it does: where the extra `otel` is installed and an endpoint is set.

OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT names it; OpenTelemetry's other variables hold too.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from starlette.types import Scope

from service.stages import Stage

log = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


class RequestSpan(Protocol):
    def ids(self) -> tuple[str, str, str]:
        """Trace id, span id and flags, in hexadecimal."""

    def end(self, *, method: str, route: str, status: int | None) -> None: ...


class Tracing(Protocol):
    def request(self, scope: Scope) -> AbstractContextManager[RequestSpan]:
        """A span for a request, in the trace that its traceparent names; what happens inside belongs to it."""

    def stages(self, stages: Sequence[Stage]) -> None:
        """Spans of the request in whose context this is called."""

    def close(self) -> None:
        """Sends what was not sent yet."""


def make_tracing() -> Tracing | None:
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return None
    try:
        from service.otel import exporting
    except ModuleNotFoundError:
        log.warning("no traces are sent, for the extra is missing: pip install 'refund-router[otel]'")
        return None
    return exporting()
