"""Who is signed in to the console, and the links that let someone in once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime


class ConsoleSession(Base):
    """A signed-in browser, known by its cookie's hash. It may do what its key may, and ends with it."""

    __tablename__ = "console_sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)  # right to about a minute
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class SignInLink(Base):
    """A link that opens one session with its key's role, known by its token's hash."""

    __tablename__ = "sign_in_links"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
