"""Ids are UUIDv7 (RFC 9562, section 5.7): milliseconds since 1970 in the first 48 bits, so ordered by the time at which
they were made."""

from __future__ import annotations

from datetime import datetime


def id_prefix(moment: datetime) -> str:
    """What the ids that are made at this moment begin with."""
    return _prefix(int(moment.timestamp() * 1_000))


def first_id(moment: datetime) -> str:
    """The least id of a moment; of one before 1970, the least of all."""
    return id_at(max(int(moment.timestamp() * 1_000), 0))


def id_at(milliseconds: int) -> str:
    """The least id of a moment, in milliseconds since 1970."""
    return f"{_prefix(milliseconds)}-7000-8000-000000000000"


def milliseconds_of(email_id: str) -> int:
    """Since 1970, at which an id was made."""
    return int(email_id[:8] + email_id[9:13], 16)


def _prefix(milliseconds: int) -> str:
    digits = f"{milliseconds:012x}"
    return f"{digits[:8]}-{digits[8:]}"
