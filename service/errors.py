"""What can go wrong, as one tree, and the one shape in which callers are told (RFC 9457).

ServiceError            500
├── InvalidRequest      422  the body or a parameter is wrong
├── Forbidden           403  another role may
├── NotFound            404
├── Conflict            409  what is asked does not fit what is there
├── BodyTooLarge        413
├── UnsupportedMedia    415  neither JSON nor a raw mail
├── QueueFull           429  with Retry-After
└── Unavailable         503  the database or the model cannot answer now

A mail over one of intake's limits (LimitError) is 413 where it is too large, else 422; `limit` is the limit's name.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from service.intake.errors import LimitError
from service.metrics import REFUSED
from service.security_headers import headers_for

log = logging.getLogger(__name__)


class ServiceError(Exception):
    """Something that a caller is told about."""

    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR
    headers: ClassVar[dict[str, str]] = {}
    refusal: ClassVar[str | None] = None  # what it counts as, where the status does not say it

    def __init__(self, detail: str, **extra: Any) -> None:
        """extra: members that the problem document bears beside `detail`."""
        super().__init__(detail)
        self.detail, self.extra = detail, extra


class InvalidRequest(ServiceError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class Forbidden(ServiceError):
    status = HTTPStatus.FORBIDDEN


class NotFound(ServiceError):
    status = HTTPStatus.NOT_FOUND


class Conflict(ServiceError):
    status = HTTPStatus.CONFLICT


class BodyTooLarge(ServiceError):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class UnsupportedMedia(ServiceError):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class QueueFull(ServiceError):
    status = HTTPStatus.TOO_MANY_REQUESTS
    headers = {"Retry-After": "1"}
    refusal = "queue_full"


class Unavailable(ServiceError):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": "5"}


def problem(
    status: int,
    detail: str,
    *,
    headers: dict[str, str] | None = None,
    extra: dict[str, Any] | None = None,
    reason: str | None = None,
) -> JSONResponse:
    """A problem as an answer; counted by `reason`, or by the reason that goes with its status."""
    if (reason := reason or REFUSAL_REASONS.get(status)) is not None:
        REFUSED.labels(reason).inc()
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(
        {**body, **(extra or {})}, status_code=status, headers=headers, media_type="application/problem+json"
    )


LIMITS = {"html": "html_bytes", "text": "text_characters"}
REFUSAL_REASONS = {  # by status; the rest are no refusals: a missing page, a fault of ours
    400: "invalid",
    401: "unauthorized",
    403: "forbidden",
    413: "body_too_large",
    415: "unsupported_media",
    422: "invalid",
    429: "rate_limited",
    503: "unavailable",
}


def _field(location: tuple[Any, ...]) -> str:
    name = ".".join(str(part) for part in location if part != "body") or "body"
    return name.encode("utf-8", "replace").decode()  # a field's name comes from the caller and may hold a surrogate


def plain(entry: Mapping[str, Any]) -> str:
    """What is wrong with a value, by one of pydantic's errors, in words that tell nothing of how it is checked."""
    context = entry.get("ctx", {})
    if entry["type"] in ("too_short", "string_too_short") and context.get("min_length") == 1:
        return "must not be empty"
    if entry["type"] == "string_pattern_mismatch" and context.get("pattern") == r"\S":
        return "must not be blank"
    return str(entry["msg"])


def problem_of(error: Exception) -> JSONResponse:
    """The problem that a caller is told of an error."""
    match error:
        case ServiceError():
            return problem(error.status, error.detail, headers=error.headers, extra=error.extra, reason=error.refusal)
        case LimitError():
            too_large = error.limit in ("mail_bytes", "html_bytes")
            status = BodyTooLarge.status if too_large else InvalidRequest.status
            return problem(status, str(error), extra={"limit": error.limit}, reason="over_limit")
        case RequestValidationError() | ValidationError():
            found = [{"field": _field(entry["loc"]), "message": plain(entry)} for entry in error.errors()]
            broken_json = any(entry["type"] == "json_invalid" for entry in error.errors())
            status = HTTPStatus.BAD_REQUEST if broken_json else HTTPStatus.UNPROCESSABLE_ENTITY
            detail = f"{found[0]['field']}: {found[0]['message']}"
            if (limit := _limit(error)) is not None:
                return problem(status, detail, extra={"errors": found, "limit": limit}, reason="over_limit")
            return problem(status, detail, extra={"errors": found})
        case HTTPException():
            return problem(error.status_code, str(error.detail), headers=dict(error.headers or {}))
        case DataError():
            log.error("database refused a value: %s", type(error.orig).__name__)
            return problem(InvalidRequest.status, "a value is not one that the database can hold")
        case SQLAlchemyError():
            log.error("database: %s", type(error).__name__, exc_info=error)
            detail = "the database's disk is full" if _disk_full(error) else "the database does not answer; try again"
            return problem(Unavailable.status, detail, headers=Unavailable.headers)
        case ClientDisconnect():
            return problem(HTTPStatus.BAD_REQUEST, "the body ended before its end")  # for the log: nobody reads it
        case _:
            log.error("unexpected: %s", type(error).__name__, exc_info=error)
            return problem(ServiceError.status, "the service failed on this request; it has been logged")


def _limit(error: RequestValidationError | ValidationError) -> str | None:
    """The limit that a text or an HTML in JSON is over; of the HTML the same as a raw mail's."""
    over = (entry["loc"][-1] for entry in error.errors() if entry["type"] == "string_too_long")
    return next((LIMITS[field] for field in over if field in LIMITS), None)


def _disk_full(error: SQLAlchemyError) -> bool:
    """As SQLite and PostgreSQL (SQLSTATE 53100) tell it."""
    if not isinstance(error, DBAPIError):
        return False
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_FULL or getattr(error.orig, "sqlstate", None) == "53100"


def add_handlers(app: FastAPI) -> None:
    async def answer(_: Request, error: Exception) -> JSONResponse:
        return problem_of(error)

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        response = problem_of(error)
        response.headers.update(headers_for(request.url.scheme))  # no middleware sees it
        response.headers["X-Request-ID"] = request.state.request_id
        return response

    for kind in (ServiceError, LimitError, RequestValidationError, HTTPException, SQLAlchemyError, ClientDisconnect):
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(Exception, unexpected)
