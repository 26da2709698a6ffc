"""Mails, and what was predicted of them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from model.reasons import REASONS
from service.database import Base, UtcDateTime

if TYPE_CHECKING:
    from service.tables.feedback import Feedback

REASON_CONDITIONS: dict[str, dict[str, str]] = {
    "postgresql": {reason: f"predictions.reasons @> '[\"{reason}\"]'" for reason in REASONS},
    "sqlite": {reason: f"instr(predictions.reasons, '\"{reason}\"') > 0" for reason in REASONS},
}
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def _reason_indexes() -> list[Index]:
    """For each reason two partial ones: the newest mails, and the newest of a label."""
    indexes = []
    for reason in REASONS:
        where: dict[str, Any] = {
            "postgresql_where": text(REASON_CONDITIONS["postgresql"][reason]),
            "sqlite_where": text(REASON_CONDITIONS["sqlite"][reason]),
        }
        indexes.append(Index(f"ix_predictions_{reason}", "label", "email_id", **where))
        indexes.append(Index(f"ix_predictions_{reason}_newest", "email_id", **where))
    return indexes


class Email(Base):
    """A mail as it came, and the words that were read of it. Ids are UUIDv7: ordered by time of arrival."""

    __tablename__ = "emails"
    __table_args__ = (
        Index(None, "identity", unique=True),
        Index(None, "content_hash", "id"),
        Index(None, "sender_address", "id"),
        Index(None, "conversation_id", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    message_id: Mapped[str | None] = mapped_column(String(998), unique=True)
    sender: Mapped[str | None] = mapped_column(Text)
    recipients: Mapped[list[str]] = mapped_column(Json)
    subject: Mapped[str | None] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    received_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    details: Mapped[dict[str, Any]] = mapped_column(Json)  # the caller's `metadata`, untouched
    source: Mapped[str | None] = mapped_column(
        String(8)
    )  # plain, html or subject; null like the next three in old rows
    cut: Mapped[list[dict[str, Any]] | None] = mapped_column(Json)  # kind and text of what was not the customer's
    context: Mapped[str | None] = mapped_column(Text)  # another's words that the mail answers
    attachments: Mapped[list[dict[str, Any]] | None] = mapped_column(Json)  # null where the mail came as JSON
    # null like the next four in rows of 0.1.0; message_id is that of the first mail that came with it
    reused_message_id: Mapped[str | None] = mapped_column(String(998))
    sender_address: Mapped[str | None] = mapped_column(String(320))
    content_hash: Mapped[str | None] = mapped_column(String(64))
    identity: Mapped[str | None] = mapped_column(String(64))  # see service.identity
    conversation_id: Mapped[str | None] = mapped_column(String(36))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    erased_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # since then it holds numbers only
    prediction: Mapped[StoredPrediction] = relationship(back_populates="email", lazy="joined", innerjoin=True)
    feedback: Mapped[list[Feedback]] = relationship(lazy="selectin", order_by="Feedback.number", passive_deletes=True)


class StoredPrediction(Base):
    """What a model said, and what was decided on it. Without an email where only a text was classified."""

    __tablename__ = "predictions"
    __table_args__ = (
        Index(None, "label", "email_id"),
        Index(None, "decision", "email_id"),
        Index(None, "label", "decision", "email_id"),
        *_reason_indexes(),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    email_id: Mapped[str | None] = mapped_column(ForeignKey("emails.id", ondelete="CASCADE"), unique=True)
    model_version: Mapped[str] = mapped_column(String(64))
    label: Mapped[str] = mapped_column(String(32))
    confidence: Mapped[float]
    probabilities: Mapped[dict[str, float]] = mapped_column(Json)
    spans: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    order_check: Mapped[dict[str, Any] | None] = mapped_column(Json)
    decision: Mapped[str] = mapped_column(String(16))
    reasons: Mapped[list[str]] = mapped_column(Json)
    truncated: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    email: Mapped[Email | None] = relationship(back_populates="prediction")
