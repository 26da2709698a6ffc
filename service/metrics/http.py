"""Counts every request, by route template so that no path or id becomes a label, and each mail by what became of it."""

from __future__ import annotations

from time import perf_counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.metrics import HTTP_REQUESTS, HTTP_SECONDS, INBOUND

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
UNMATCHED = "unmatched"
RAW_MAIL = "message/rfc822"


class MetricsMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, started = "500", perf_counter()

        async def watched_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, watched_send)
        finally:
            route = getattr(scope.get("route"), "path", UNMATCHED)
            method = scope["method"] if scope["method"] in METHODS else "OTHER"
            HTTP_REQUESTS.labels(method, route, status).inc()
            HTTP_SECONDS.labels(route).observe(perf_counter() - started)
            if method == "POST" and (source := _inbound_source(scope)) is not None:
                INBOUND.labels(source, inbound_result(source, int(status))).inc()


def _inbound_source(scope: Scope) -> str | None:
    """How a single mail came; None for every other request. The mails of a batch are counted where it is read."""
    if scope["path"] == "/v1/classify":
        return "classify"
    if scope["path"] != "/v1/emails":
        return None
    content_type = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    return "raw" if content_type == RAW_MAIL else "json"


def inbound_result(source: str, status: int) -> str:
    """What became of a mail, by the status of its answer."""
    if status >= 500:
        return "failed"
    if status >= 400:
        return "refused"
    return "duplicate" if status == 200 and source != "classify" else "stored"
