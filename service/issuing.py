"""Keys made and revoked, each with its line in the audit; for the routes and the command line alike."""

from __future__ import annotations

from datetime import UTC, datetime

import uuid_utils
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.callers import usable
from service.credentials import digest, new_key, prefix_of
from service.errors import Conflict, InvalidRequest, NotFound
from service.queries import keys as queries
from service.queries.audit import record
from service.schemas.keys import RESERVED_NAMES, KeyIn
from service.tables import ApiKey


def make_key(session: Session, *, wanted: KeyIn, actor: str) -> tuple[ApiKey, str]:
    """The row and the key itself, which cannot be read from the row. Raises Conflict, InvalidRequest."""
    now = datetime.now(UTC)
    if wanted.expires_at is not None and (wanted.expires_at <= now or wanted.expires_at.year > 2200):
        raise InvalidRequest(f"expires_at: {wanted.expires_at.isoformat()} is not between now and the year 2200")
    if wanted.name in RESERVED_NAMES:
        raise InvalidRequest(f"name: {wanted.name} is a name of the service's own")
    if queries.key_by_name(session, name=wanted.name) is not None:
        raise Conflict(f"name: a key {wanted.name} exists, or existed, already")
    key = new_key()
    row = ApiKey(
        id=str(uuid_utils.uuid7()),
        name=wanted.name,
        prefix=prefix_of(key),
        digest=digest(key),
        role=wanted.role,
        requests_per_second=wanted.requests_per_second,
        created_at=now,
        expires_at=wanted.expires_at,
    )
    try:
        queries.add_key(session, key=row)
    except IntegrityError:  # another made one with this name meanwhile
        raise Conflict(f"name: a key {wanted.name} exists, or existed, already") from None
    details = {"prefix": row.prefix, "role": row.role}
    record(session, actor=actor, action="key_created", subject=row.name, details=details)
    return row, key


def named_key(session: Session, *, named: str) -> ApiKey:
    """A key by its prefix or its name. Raises NotFound."""
    row = queries.key_by_prefix(session, prefix=named) or queries.key_by_name(session, name=named)
    if row is None:
        raise NotFound("no key has this prefix or name")
    return row


def live_key(session: Session, *, named: str) -> ApiKey:
    """The same, where it may still be used. Raises NotFound, Conflict."""
    row = named_key(session, named=named)
    if not usable(row, datetime.now(UTC)):
        raise Conflict(f"key {row.name} is revoked or expired")
    return row


def revoke_key(session: Session, *, named: str, actor: str) -> ApiKey:
    """Revoke a key by its prefix or its name; once revoked it stays so. Raises NotFound."""
    row = named_key(session, named=named)
    if queries.revoke_key(session, key_id=row.id, now=datetime.now(UTC)):
        record(session, actor=actor, action="key_revoked", subject=row.name, details={"prefix": row.prefix})
        session.refresh(row)
    return row
