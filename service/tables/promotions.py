"""Which model serves: the newest row says so, the others how it came to that."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime
from service.tables.emails import Json


class Promotion(Base):
    """A change of the serving model. Rows are only ever added; numbers have no gap, so of two at once one fails."""

    __tablename__ = "promotions"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    action: Mapped[str] = mapped_column(String(16))  # promotion or rollback
    from_version: Mapped[str] = mapped_column(String(64))
    to_version: Mapped[str] = mapped_column(String(64))
    actor: Mapped[str] = mapped_column(Text)
    forced: Mapped[bool]  # promoted although a suite failed
    reason: Mapped[str | None] = mapped_column(Text)
    verdict: Mapped[list[dict[str, Any]]] = mapped_column(Json)  # a suite each: run_id, suite, passed
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
