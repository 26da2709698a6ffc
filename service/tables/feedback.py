"""What agents said of predictions: rows are only ever appended, and the prediction itself is never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime
from service.tables.emails import Json


class Feedback(Base):
    """One verdict on a mail. The one with the highest number stands; `withdrawn` makes the mail open again."""

    __tablename__ = "feedback"
    __table_args__ = (
        UniqueConstraint("email_id", "number"),
        Index(None, "verdict", "email_id"),
        Index(None, "actor", "email_id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    email_id: Mapped[str] = mapped_column(ForeignKey("emails.id", ondelete="CASCADE"))
    number: Mapped[int]  # 1, 2, … within a mail: a clock that is set back cannot change the order
    verdict: Mapped[str] = mapped_column(String(16))
    label: Mapped[str] = mapped_column(String(32))  # that which stands by this verdict; where withdrawn, the model's
    spans: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    spans_judged: Mapped[bool | None]  # null in rows from before it was kept
    reason: Mapped[str | None] = mapped_column(Text)
    actor: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
