"""The shop's own suite: mails that a model misread, made into cases. An edit adds a revision; erasure empties all."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime
from service.tables.emails import Json

SUITE = "shop"  # the name under which they are run


class ShopCase(Base):
    """One revision of a case; the newest one counts."""

    __tablename__ = "shop_cases"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    email_id: Mapped[str | None] = mapped_column(String(36))  # where it came from; the mail may be erased meanwhile
    owners: Mapped[list[str] | None] = mapped_column(Json)  # digests of the mail's addresses, see service.case_owners
    case: Mapped[dict[str, Any]] = mapped_column(Json)  # as it stands in a suite's YAML
    retired: Mapped[bool]
    actor: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    erased_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # since then it has no word, and is shown nowhere
