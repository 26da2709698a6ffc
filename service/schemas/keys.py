"""API keys on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from service.access import Role
from service.schemas.emails import Wire

RESERVED_NAMES = frozenset({"local", "command-line", "unknown", "service"})  # actors in the audit that are no keys
KEY_NAME = r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
KeyName = Annotated[str, StringConstraints(pattern=KEY_NAME)]


class KeyIn(Wire):
    """A key to be made."""

    name: KeyName = Field(examples=["mail-server-2026"])
    role: Role
    expires_at: AwareDatetime | None = Field(default=None, description="null: it does not expire")
    requests_per_second: Annotated[float, Field(gt=0, le=1_000_000)] | None = Field(
        default=None, description="null: the setting's"
    )


class KeyOut(Wire):
    """What is told of a key; its secret part is not kept anywhere."""

    name: str
    prefix: str
    role: Role
    requests_per_second: float | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None = Field(description="right to about a minute")


class NewKey(KeyOut):
    """A key that was just made: the only answer that holds it."""

    key: str


class KeyPage(Wire):
    data: list[KeyOut]
    next_cursor: str | None
