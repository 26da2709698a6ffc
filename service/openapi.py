"""The API's document: what the routes say of themselves, and what stands before every route besides.

Every call may have an X-Request-ID. The gate's refusals (401, 403, 429, 503) and those of a body that is broken, slow
or too large (400, 408, 413) are the same everywhere, so they are written here once, by the table of who may call what.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from service.access import OPEN, who_may

GATE = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
BODY = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
REQUEST_ID = {
    "name": "X-Request-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "comes back with the answer and stands in the log; one that is not sane is made anew",
}
KEY = {"type": "http", "scheme": "bearer", "description": "a key as `refund-router keys create` prints it"}


class Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = complete(super().openapi())
        return self.openapi_schema


def operation_id(route: APIRoute) -> str:
    """The handler's name, which becomes a function's in generated clients."""
    return route.name


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The same document with what is before the routes added."""
    document["components"]["securitySchemes"] = {"key": KEY}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(operation, open_to_all=who_may(method.upper(), path) is OPEN)
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):  # FastAPI's own shape, which this service never sends
        schemas.pop(unused, None)
    return document


def _complete(operation: dict[str, Any], *, open_to_all: bool) -> None:
    operation["parameters"] = [*operation.get("parameters", ()), REQUEST_ID]
    responses = operation["responses"]
    if "422" in responses:
        responses["422"] = _problem(HTTPStatus.UNPROCESSABLE_ENTITY)
    added = BODY if "requestBody" in operation else ()
    if not open_to_all:
        operation["security"] = [{"key": []}]
        added = (*added, *GATE)
    for status in added:
        responses.setdefault(str(status.value), _problem(status))
    operation["responses"] = dict(sorted(responses.items()))


def _problem(status: HTTPStatus) -> dict[str, Any]:
    return {"description": status.phrase, "content": PROBLEM}
