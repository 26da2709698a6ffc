"""What mails mention: the way from a message that is not stored, as the shop's own answers are not, to its thread."""

from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base


class ConversationReference(Base):
    """A message id that stands in the threading headers of a stored mail."""

    __tablename__ = "conversation_references"

    message_id: Mapped[str] = mapped_column(String(998), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(36))
