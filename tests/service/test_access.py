from __future__ import annotations

import re

import pytest
from fastapi.routing import iter_route_contexts

from service.access import ADMINS, OPEN, WHO_MAY, Role, who_may
from service.app import create_app
from service.settings import Settings

ROUTES = sorted(
    (method, str(context.path))
    for context in iter_route_contexts(create_app(Settings()).routes)
    for method in context.methods or ()
    if method != "HEAD"
)


def test_every_route_of_the_app_has_an_entry() -> None:
    assert len(ROUTES) > 10
    assert [route for route in ROUTES if route not in WHO_MAY] == []


@pytest.mark.parametrize(("method", "template"), WHO_MAY)
def test_a_path_is_judged_by_the_entry_of_its_own_route(method: str, template: str) -> None:
    path = re.sub(r"{\w+}", "some-value", template)
    assert who_may(method, path) == WHO_MAY[method, template]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nothing"),
        ("PUT", "/v1/emails"),
        ("GET", "/v1/emails/"),  # a slash more is another path
        ("GET", "//v1/labels"),
        ("GET", "/healthz/"),
        ("OPTIONS", "/healthz"),
        ("GET", "/HEALTHZ"),
        ("GET", "/static/a/b"),
        ("get", "/healthz"),
    ],
)
def test_what_is_not_in_the_table_is_for_admins(method: str, path: str) -> None:
    assert who_may(method, path) == ADMINS


def test_head_is_judged_as_get() -> None:
    assert who_may("HEAD", "/v1/emails") == WHO_MAY["GET", "/v1/emails"]


def test_an_admin_may_do_everything_and_little_is_open() -> None:
    assert all(allowed is OPEN or Role.ADMIN in allowed for allowed in WHO_MAY.values())
    opened = {path for (_, path), allowed in WHO_MAY.items() if allowed is OPEN}
    assert opened <= {"/healthz", "/readyz", "/openapi.json", "/static/{name}", "/sign-in"}


@pytest.mark.parametrize("role", [Role.INGEST, Role.OPS])
def test_roles_that_need_no_mail_read_none(role: Role) -> None:
    for method, path in (
        ("GET", "/v1/emails"),
        ("GET", "/v1/emails/x"),
        ("GET", "/"),
        ("POST", "/v1/emails/x/feedback"),
    ):
        allowed = who_may(method, path)
        assert allowed is not OPEN
        assert role not in allowed
