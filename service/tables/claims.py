"""Claims: of the processes that share a database, the one that does a piece of work."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime


class Claim(Base):
    """The holder renews it while it works, so that the claim of a process that died is soon free again."""

    __tablename__ = "claims"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    holder: Mapped[str] = mapped_column(String(36))
    renewed_at: Mapped[datetime] = mapped_column(UtcDateTime)
