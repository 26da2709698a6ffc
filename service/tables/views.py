"""Views of the inbox that agents keep."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime


class SavedView(Base):
    """A name for filters, of one agent. query is the part of the inbox's address behind the question mark."""

    __tablename__ = "saved_views"
    __table_args__ = (UniqueConstraint("actor", "name"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    actor: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(String(60))
    query: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
