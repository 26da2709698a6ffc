"""Without keys a browser on this machine is the only lock, so a name that someone else can point here opens nothing.

A page of another site may have its own name resolve to 127.0.0.1 (DNS rebinding); its requests then look like the
console's own to the browser, but for their Host.
"""

from __future__ import annotations

import ipaddress
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.errors import problem


def is_loopback(host: str) -> bool:
    """host: a name or an address, without brackets or port."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class LocalHostMiddleware:
    """403 for a Host that is not loopback."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_loopback(_host_name(Headers(scope=scope).get("host", ""))):
            detail = "without keys this service is called as localhost only"
            await problem(HTTPStatus.FORBIDDEN, detail)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets that hold no address
        return ""
