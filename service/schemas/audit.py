"""The audit on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from service.schemas.emails import Wire


class AuditEntryOut(Wire):
    """One act: who did what to which, when."""

    id: str
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    created_at: datetime


class AuditPage(Wire):
    data: list[AuditEntryOut]
    next_cursor: str | None
