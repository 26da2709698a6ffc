"""Who did what."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime
from service.tables.emails import Json


class AuditEntry(Base):
    """One act. The database itself refuses to change or delete a row. Ids are UUIDv7: ordered by time."""

    __tablename__ = "audit_entries"
    __table_args__ = (Index(None, "action", "id"), Index(None, "actor", "id"))

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    actor: Mapped[str] = mapped_column(String(64))  # a key's name, `local`, `command-line`, or `unknown`
    action: Mapped[str] = mapped_column(String(32))
    subject: Mapped[str] = mapped_column(Text)  # what it was done to: a key's name, a mail's id, a model's version
    details: Mapped[dict[str, Any]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
