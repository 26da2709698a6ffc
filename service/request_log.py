"""A line in the log for each request, and the ids by which it is found again.

X-Request-ID is taken from the caller where it is sane, else made, and comes back with the answer. A W3C traceparent is
passed on: the answer's traceresponse names the same trace and the span of this request, and both stand in the log.
"""

from __future__ import annotations

import logging
import re
import secrets
from dataclasses import dataclass
from time import perf_counter

import uuid_utils
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.logs import REQUEST
from service.metrics.http import METHODS, UNMATCHED
from service.tracing import Tracing

log = logging.getLogger("service.requests")

SANE_ID = re.compile(r"[A-Za-z0-9._~:+=-]{1,100}")
TRACEPARENT = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
QUIET = frozenset({"/healthz", "/readyz", "/metrics"})  # asked every few seconds: at DEBUG


@dataclass(frozen=True)
class Trace:
    """Where a request stands in a trace (W3C Trace Context, section 3.2)."""

    trace_id: str
    span_id: str
    flags: str

    @property
    def header(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags}"


def continued(traceparent: str | None) -> Trace | None:
    """The caller's trace with a span of its own for this request; None where there is none, or a wrong one."""
    found = TRACEPARENT.fullmatch(traceparent or "")
    if found is None or (found[1] == "00" and found[5] is not None):
        return None
    return Trace(found[2], secrets.token_hex(8), found[4])


def request_id(given: str | None) -> str:
    return given if given is not None and SANE_ID.fullmatch(given) else uuid_utils.uuid7().hex


class RequestLogMiddleware:
    """The outermost one, so that refusals are logged too."""

    def __init__(self, app: ASGIApp, tracing: Tracing | None) -> None:
        self.app, self._tracing = app, tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self._tracing is None:
            await self._answer(scope, receive, send, continued(Headers(scope=scope).get("traceparent")))
            return
        with self._tracing.request(scope) as span:
            try:
                await self._answer(scope, receive, send, Trace(*span.ids()))
            finally:
                span.end(method=_method(scope), route=_route(scope), status=scope["state"]["answered"])

    async def _answer(self, scope: Scope, receive: Receive, send: Send, trace: Trace | None) -> None:
        started, status = perf_counter(), 500
        ids = {"request_id": request_id(Headers(scope=scope).get("x-request-id"))}
        if trace is not None:
            ids |= {"trace_id": trace.trace_id, "span_id": trace.span_id}
        REQUEST.set(ids)  # for this request's task, also after this: the last handler of errors is outside
        state = scope.setdefault("state", {})
        state["request_id"] = ids["request_id"]

        async def send_with_ids(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = ids["request_id"]
                if trace is not None:
                    headers["traceresponse"] = trace.header
            await send(message)

        try:
            await self.app(scope, receive, send_with_ids)
        finally:
            state["answered"] = status
            fields = {
                "method": _method(scope),
                "route": _route(scope),
                "status": status,
                "duration_seconds": round(perf_counter() - started, 6),
                "key": state.get("actor"),
            }
            log.log(_level(fields["route"], status), "request", extra=fields)


def _level(route: str, status: int) -> int:
    if status >= 500:
        return logging.WARNING
    return logging.DEBUG if route in QUIET else logging.INFO


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "OTHER"


def _route(scope: Scope) -> str:
    """The template, never the path: a path may hold what a caller typed."""
    route: str = getattr(scope.get("route"), "path", UNMATCHED)
    return route
