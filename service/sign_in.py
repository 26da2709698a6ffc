"""The way into the console: sessions, one-time links, and the first admin key of a database that has none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

from service.access import HOME, Role
from service.callers import usable
from service.credentials import KEY_SHAPE, digest, new_token, prefix_of, same
from service.issuing import make_key
from service.queries import keys as key_queries
from service.queries import sessions as queries
from service.queries.audit import record
from service.schemas.keys import KeyIn
from service.tables import ApiKey, ConsoleSession, SignInLink

LINK_LIFE = timedelta(minutes=15)
UNKNOWN = "unknown"
LOCAL_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]{0,2000}")  # printable ASCII without backslash: no browser sees a host


@dataclass(frozen=True)
class SignedIn:
    """A browser's new session; the token goes into its cookie and nowhere else."""

    token: str
    role: Role


def local_path(given: str) -> str | None:
    """A path of this service to go back to; None for anything that could lead elsewhere, or round in a circle."""
    if not LOCAL_PATH.fullmatch(given) or given.startswith(("/sign-in", "/sign-out")):
        return None
    return given


def sign_in(
    session: Session, *, key: str, link: str, address: str, lasts: timedelta, idle: timedelta
) -> SignedIn | None:
    """By a link where there is one, else by a key; None where that lets nobody in. The audit has both."""
    now = datetime.now(UTC)
    row = queries.use_link(session, digest=digest(link), now=now) if link else _key_row(session, key)
    by = "link" if link else "key"
    if row is None or not usable(row, now) or Role(row.role) not in HOME:
        known = row.name if row is not None else ""
        record(session, actor=UNKNOWN, action="sign_in_failed", subject=known, details={"by": by, "address": address})
        return None
    queries.drop_ended(session, now=now, idle=idle)
    token = new_token()
    signed_in = ConsoleSession(
        digest=digest(token), key_id=row.id, created_at=now, last_seen_at=now, expires_at=now + lasts
    )
    queries.add_session(session, row=signed_in)
    key_queries.touch_key(session, key_id=row.id, now=now)
    record(session, actor=row.name, action="signed_in", subject=row.name, details={"by": by, "address": address})
    return SignedIn(token, Role(row.role))


def sign_out(session: Session, *, token: str, actor: str) -> None:
    queries.end_session(session, digest=digest(token))
    record(session, actor=actor, action="signed_out", subject=actor)


def new_link(session: Session, *, key: ApiKey, actor: str) -> str:
    """The token of a link that signs one browser in, once, with this key's role."""
    token, now = new_token(), datetime.now(UTC)
    row = SignInLink(digest=digest(token), key_id=key.id, created_at=now, expires_at=now + LINK_LIFE)
    queries.add_link(session, row=row)
    record(session, actor=actor, action="link_created", subject=key.name)
    return token


def admin_key(session: Session) -> tuple[ApiKey, str | None]:
    """The oldest live admin key; where there is none one is made, and then its secret comes with it."""
    # the name is chosen before the look: who starts at the same time then finds this key, or its name taken
    name, number = "admin", 1
    while key_queries.key_by_name(session, name=name) is not None:
        number += 1
        name = f"admin-{number}"
    row = key_queries.first_live_key(session, now=datetime.now(UTC), role=Role.ADMIN)
    if row is not None:
        return row, None
    return make_key(session, wanted=KeyIn(name=name, role=Role.ADMIN), actor="service")


def _key_row(session: Session, key: str) -> ApiKey | None:
    if not KEY_SHAPE.fullmatch(key):
        return None
    row = key_queries.key_by_prefix(session, prefix=prefix_of(key))
    return row if row is not None and same(row.digest, digest(key)) else None
