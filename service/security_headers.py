"""Headers that tell a browser to run, frame, guess and keep nothing of an answer. On every answer, refusals too."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # for browsers that know no frame-ancestors
    "Referrer-Policy": "same-origin",  # with no-referrer a form's Origin would be null, and the gate reads it
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",  # customers' words stay in no cache; static files say otherwise themselves
}
HSTS = "max-age=31536000"


def headers_for(scheme: str) -> dict[str, str]:
    """What an answer bears unless its route says otherwise."""
    return {**HEADERS, "Strict-Transport-Security": HSTS} if scheme == "https" else HEADERS


class SecurityHeadersMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in headers_for(scope["scheme"]).items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)
