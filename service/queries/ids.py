"""Ids are UUIDv7: ordered by the time at which they were made."""

from __future__ import annotations

from datetime import datetime


def id_prefix(moment: datetime) -> str:
    """What the ids that are made at this moment begin with: milliseconds in the first 48 bits."""
    digits = f"{int(moment.timestamp() * 1000):012x}"
    return f"{digits[:8]}-{digits[8:]}"
