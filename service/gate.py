"""The one place where callers are let in or turned away, before anything of a request's body is read.

A key comes as `Authorization: Bearer`, a console session as a cookie. Without keys (`serve --no-keys`, loopback only)
everyone is `local`. What a cookie asks to change needs the session's CSRF token too, as X-CSRF-Token or as the form
field csrf_token; and where no key is given, nothing is changed for another site's page.
"""

from __future__ import annotations

import ipaddress
import math
from http import HTTPStatus
from urllib.parse import parse_qs, quote, urlsplit

from fastapi.responses import RedirectResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.access import ANY_KEY, OPEN, Allowed, Role, who_may
from service.callers import Caller, Callers
from service.credentials import csrf_token, same
from service.errors import Unavailable, problem
from service.rate_limit import TokenBuckets
from service.settings import Settings

COOKIE = "refund_router_session"
CSRF_HEADER, CSRF_FIELD = "x-csrf-token", "csrf_token"
FORM = "application/x-www-form-urlencoded"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_FORM_BYTES = 1_000_000


class Gate:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self._settings = app, settings
        self._buckets = TokenBuckets()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        allowed = self._allowed(scope)
        headers = Headers(scope=scope)
        unsafe = scope["method"] not in SAFE_METHODS
        given = headers.get("authorization")
        if unsafe and given is None and _from_another_site(headers):
            await problem(HTTPStatus.FORBIDDEN, "a page of another site may change nothing here")(scope, receive, send)
            return
        if not self._settings.require_keys:
            scope.setdefault("state", {}).update(actor="local", role=Role.ADMIN, csrf_token="")
            await self.app(scope, receive, send)
            return
        if allowed is OPEN:
            scope["state"]["actor"] = "unknown"
            await self.app(scope, receive, send)
            return
        cookie = None if given is not None else HTTPConnection(scope).cookies.get(COOKIE)
        try:
            caller = await _caller(scope["state"]["callers"], given, cookie)
        except SQLAlchemyError:
            answer: Response = problem(
                Unavailable.status, "the database does not answer; try again", headers=Unavailable.headers
            )
            await answer(scope, receive, send)
            return
        refusal = _unknown(scope, headers) if caller is None else self._refusal(caller, allowed)
        if refusal is None and cookie is not None and unsafe:
            refusal, receive = await _check_csrf(headers, cookie, receive)
        if refusal is not None or caller is None:
            await (refusal or _unknown(scope, headers))(scope, receive, send)
            return
        token = csrf_token(cookie) if cookie is not None else ""
        scope["state"].update(actor=caller.name, role=caller.role, csrf_token=token)
        await self.app(scope, receive, send)

    def _allowed(self, scope: Scope) -> Allowed:
        path = scope["path"]
        if path == "/metrics" and (
            self._settings.metrics_access == "everyone"
            or (self._settings.metrics_access == "loopback" and _is_loopback(scope["client"]))
        ):
            return OPEN
        return who_may(scope["method"], path)

    def _refusal(self, caller: Caller, allowed: Allowed) -> Response | None:
        rate = caller.requests_per_second or self._settings.key_requests_per_second
        wait = self._buckets.take(caller.key_id, per_second=rate, burst=max(1.0, rate))
        if wait > 0:
            detail = f"key {caller.name} has its limit of {rate:g} requests a second; try again"
            return problem(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"Retry-After": str(math.ceil(wait))})
        if caller.role not in (allowed or ANY_KEY):
            return problem(HTTPStatus.FORBIDDEN, f"a key with the role {caller.role} may not do this")
        return None


async def _caller(callers: Callers, given: str | None, cookie: str | None) -> Caller | None:
    if given is not None:
        scheme, _, key = given.partition(" ")
        return await callers.by_key(key.strip()) if scheme.lower() == "bearer" else None
    return await callers.by_session(cookie) if cookie else None


def _unknown(scope: Scope, headers: Headers) -> Response:
    """A browser that wants a page is sent to sign in and comes back after; others are told 401."""
    path: str = scope["path"]
    page = scope["method"] in ("GET", "HEAD") and not path.startswith("/v1/")
    if page and "authorization" not in headers and "text/html" in headers.get("accept", ""):
        back = quote(path) + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
        return RedirectResponse(f"/sign-in?next={quote(back, safe='')}", HTTPStatus.SEE_OTHER)
    challenge = 'Bearer realm="refund-router"'
    if "authorization" in headers:
        challenge += ', error="invalid_token"'
        detail = "the key is unknown, revoked or expired, or is not sent as Authorization: Bearer"
    else:
        detail = "send a key as Authorization: Bearer"
    return problem(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": challenge})


async def _check_csrf(headers: Headers, cookie: str, receive: Receive) -> tuple[Response | None, Receive]:
    """A refusal or None, and where to read the body from: a form is read for its token and handed on."""
    sent = headers.get(CSRF_HEADER, "")
    if not sent and headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MAX_FORM_BYTES:
                detail = f"the form is larger than {MAX_FORM_BYTES} bytes"
                return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail), receive
        sent = parse_qs(body.decode("utf-8", "replace")).get(CSRF_FIELD, [""])[0]
        receive = _again(body, receive)
    if same(sent, csrf_token(cookie)):
        return None, receive
    return problem(HTTPStatus.FORBIDDEN, "the CSRF token is missing or of another session; load the page anew"), receive


def _again(body: bytes, receive: Receive) -> Receive:
    """A receive that hands out a body that was read already, and then what comes after it."""
    told = False

    async def replay() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _from_another_site(headers: Headers) -> bool:
    """By what the browser says, which no page can forge; a client that is no browser says neither."""
    if (fetch_site := headers.get("sec-fetch-site")) is not None:
        return fetch_site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")


def _is_loopback(client: tuple[str, int] | None) -> bool:
    try:
        return client is not None and ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
