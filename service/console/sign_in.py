"""/sign-in by key or by a one-time link, and /sign-out.

Opening a link shows a button, and only the button uses the link up; what browsers fetch ahead does not.
"""

from __future__ import annotations

import asyncio
import math
from datetime import timedelta
from http import HTTPStatus
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from sqlalchemy.orm import Session, sessionmaker
from starlette.responses import Response

from service import sign_in
from service.access import HOME, may
from service.console.site import TEMPLATES
from service.dependencies import ActorDep, SessionDep
from service.errors import BodyTooLarge
from service.gate import COOKIE
from service.rate_limit import TokenBuckets
from service.settings import Settings

router = APIRouter(include_in_schema=False)
MAX_BODY_BYTES = 10_000
FAILURES, FAILURES_PER_SECOND = 10.0, 0.1  # ten wrong tries an address at once, then one in ten seconds


@router.get("/sign-in", response_class=HTMLResponse)
def get_sign_in(request: Request, token: str = "", next: str = "") -> HTMLResponse:
    return _page(request, token=token, back=next)


@router.post("/sign-in")
async def post_sign_in(request: Request) -> Response:
    """To where the caller came from, with a session; or the page again: 401 for what lets nobody in, 429 too often."""
    form = await _form(request)
    key, token, back = (form.get(name, "") for name in ("key", "token", "next"))
    address = request.client.host if request.client is not None else "unknown"
    tries: TokenBuckets = request.state.sign_in_tries
    if (wait := tries.take(address, per_second=FAILURES_PER_SECOND, burst=FAILURES)) > 0:
        words = f"Too many tries from your address. Try again in {math.ceil(wait)} seconds."
        refused = _page(request, back=back, failure=words, status=HTTPStatus.TOO_MANY_REQUESTS)
        refused.headers["Retry-After"] = str(math.ceil(wait))
        return refused
    settings: Settings = request.state.settings
    signed_in = await asyncio.to_thread(_sign_in, request.state.sessions, settings, key, token, address)
    if signed_in is None:
        words = "This link was used already, or is too old." if token else "This key opens no console."
        refused = _page(request, back=back, failure=words, status=HTTPStatus.UNAUTHORIZED)
        refused.headers["WWW-Authenticate"] = 'Bearer realm="refund-router"'
        return refused
    tries.put_back(address)
    path = sign_in.local_path(back)
    if path is None or not may(signed_in.role, "GET", path.partition("?")[0]):
        path = HOME[signed_in.role]
    answer = RedirectResponse(path, HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        COOKIE,
        signed_in.token,
        max_age=settings.session_seconds,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return answer


@router.post("/sign-out")
def post_sign_out(request: Request, session: SessionDep, actor: ActorDep) -> RedirectResponse:
    if token := request.cookies.get(COOKIE):
        sign_in.sign_out(session, token=token, actor=actor)
        request.state.callers.forget()
    answer = RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _sign_in(
    sessions: sessionmaker[Session], settings: Settings, key: str, token: str, address: str
) -> sign_in.SignedIn | None:
    lasts, idle = timedelta(seconds=settings.session_seconds), timedelta(seconds=settings.session_idle_seconds)
    with sessions.begin() as session:
        return sign_in.sign_in(session, key=key, link=token, address=address, lasts=lasts, idle=idle)


def _page(
    request: Request, *, back: str, token: str = "", failure: str = "", status: int = HTTPStatus.OK
) -> HTMLResponse:
    context = {"token": token, "next": sign_in.local_path(back) or "", "failure": failure}
    return TEMPLATES.TemplateResponse(request, "sign_in.html", context, status_code=status)


async def _form(request: Request) -> dict[str, str]:
    """The first value of each field. Raises BodyTooLarge, before anything large is held."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLarge(f"the form is larger than {MAX_BODY_BYTES} bytes")
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
