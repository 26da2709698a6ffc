"""Who may call what: one table over every route. What is not in it needs `admin`.

Roles are for one kind of work each, so that a key that leaks opens no more than its own:

ingest  hands mail in and gets its answer; reads no stored mail
agent   reads mail, corrects, reviews, works in the console
ops     metrics, models and checks; reads no customer's mail
admin   everything, also keys, the audit and erasure
"""

from __future__ import annotations

from enum import StrEnum

from starlette.routing import compile_path


class Role(StrEnum):
    INGEST = "ingest"
    AGENT = "agent"
    OPS = "ops"
    ADMIN = "admin"


Allowed = frozenset[Role] | None  # None: everyone, without a key

OPEN: Allowed = None
ADMINS = frozenset({Role.ADMIN})
SENDERS = ADMINS | {Role.INGEST}
AGENTS = ADMINS | {Role.AGENT}
OPERATORS = ADMINS | {Role.OPS}
STAFF = AGENTS | OPERATORS
ANY_KEY = frozenset(Role)

WHO_MAY: dict[tuple[str, str], Allowed] = {
    ("GET", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("GET", "/openapi.json"): OPEN,
    ("GET", "/metrics"): OPERATORS,  # REFUND_ROUTER_METRICS_ACCESS opens it
    ("POST", "/v1/emails"): SENDERS,
    ("POST", "/v1/emails/batch"): SENDERS,
    ("GET", "/v1/emails"): AGENTS,
    ("GET", "/v1/emails/{email_id}"): AGENTS,
    ("POST", "/v1/emails/{email_id}/feedback"): AGENTS,
    ("GET", "/v1/review"): AGENTS,
    ("POST", "/v1/review/next"): AGENTS,
    ("POST", "/v1/review/{email_id}/claim"): AGENTS,
    ("POST", "/v1/review/{email_id}/release"): AGENTS,
    ("DELETE", "/v1/emails/{email_id}"): ADMINS,
    ("POST", "/v1/erasures"): ADMINS,
    ("GET", "/v1/views"): AGENTS,
    ("POST", "/v1/views"): AGENTS,
    ("DELETE", "/v1/views/{view_id}"): AGENTS,
    ("POST", "/v1/classify"): ANY_KEY,
    ("POST", "/v1/explain"): STAFF,
    ("GET", "/v1/labels"): ANY_KEY,
    ("GET", "/v1/drift"): STAFF,
    ("GET", "/v1/models"): STAFF,
    ("GET", "/v1/models/promotions"): STAFF,
    ("POST", "/v1/models/{version}/promote"): OPERATORS,
    ("POST", "/v1/models/rollback"): OPERATORS,
    ("POST", "/v1/checks/runs"): OPERATORS,
    ("GET", "/v1/checks/runs"): STAFF,
    ("GET", "/v1/checks/runs/{run_id}"): STAFF,
    ("GET", "/v1/checks/trend"): STAFF,
    ("POST", "/v1/checks/runs/{run_id}/cases/{number}/adopt"): AGENTS,
    ("POST", "/v1/checks/cases"): AGENTS,
    ("GET", "/v1/checks/cases"): AGENTS,
    ("PUT", "/v1/checks/cases/{case_id}"): AGENTS,
    ("POST", "/v1/checks/cases/{case_id}/retire"): AGENTS,
    ("GET", "/v1/keys"): ADMINS,
    ("POST", "/v1/keys"): ADMINS,
    ("DELETE", "/v1/keys/{prefix}"): ADMINS,
    ("GET", "/v1/audit"): ADMINS,
    ("GET", "/"): AGENTS,
    ("GET", "/inbox/rows"): AGENTS,
    ("GET", "/inbox/events"): AGENTS,
    ("GET", "/mails/{email_id}"): AGENTS,
    ("GET", "/mails/{email_id}/why"): AGENTS,
    ("GET", "/review"): AGENTS,
    ("GET", "/lab"): STAFF,
    ("GET", "/models"): STAFF,
    ("GET", "/checks"): STAFF,
    ("GET", "/checks/{run_id}"): STAFF,
    ("GET", "/checks/cases"): AGENTS,
    ("GET", "/checks/cases/{case_id}"): AGENTS,
    ("GET", "/health"): STAFF,
    ("GET", "/static/{name}"): OPEN,
    ("GET", "/sign-in"): OPEN,
    ("POST", "/sign-in"): OPEN,
    ("POST", "/sign-out"): ANY_KEY,
}

HOME = {Role.AGENT: "/", Role.OPS: "/models", Role.ADMIN: "/"}  # a role without one has no console

_PATTERNS = [
    (method, compile_path(template)[0], allowed) for (method, template), allowed in WHO_MAY.items() if "{" in template
]


def who_may(method: str, path: str) -> Allowed:
    """The roles that may call this path. A path without parameters goes before one with them."""
    method = "GET" if method == "HEAD" else method
    if (method, path) in WHO_MAY:
        return WHO_MAY[method, path]
    for known, pattern, allowed in _PATTERNS:
        if known == method and pattern.match(path):
            return allowed
    return ADMINS


def may(role: Role, method: str, path: str) -> bool:
    allowed = who_may(method, path)
    return allowed is None or role in allowed
