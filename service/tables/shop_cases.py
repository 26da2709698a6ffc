"""The shop's own suite: mails that a model misread, made into cases. Nothing is deleted; an edit adds a revision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime
from service.tables.emails import Json


class ShopCase(Base):
    """One revision of a case; the newest one counts."""

    __tablename__ = "shop_cases"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    email_id: Mapped[str | None] = mapped_column(String(36))  # where it came from; the mail may be erased meanwhile
    case: Mapped[dict[str, Any]] = mapped_column(Json)  # as it stands in a suite's YAML
    retired: Mapped[bool]
    actor: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
