"""The review queue: a row for each mail that waits for a person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from service.database import Base, UtcDateTime
from service.tables.emails import Email


class Review(Base):
    """A mail with the decision `review` and no verdict; the row goes when a verdict comes."""

    __tablename__ = "reviews"
    __table_args__ = (Index(None, "due_at", "email_id"), Index(None, "claimed_by", "claimed_until"))

    email_id: Mapped[str] = mapped_column(String(36), ForeignKey("emails.id", ondelete="CASCADE"), primary_key=True)
    due_at: Mapped[datetime] = mapped_column(UtcDateTime)  # the earliest comes first; see service.review
    claimed_by: Mapped[str | None] = mapped_column(Text)
    claimed_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    email: Mapped[Email] = relationship(lazy="joined", innerjoin=True)
