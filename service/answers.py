"""Stored rows to what goes over the wire."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from service.reading import Stored
from service.schemas import Answer, EmailOut, LabelProbability, OrderCheckOut, SpanOut
from service.tables import Email, StoredPrediction


def _fields(prediction: StoredPrediction) -> dict[str, Any]:
    check = prediction.order_check
    ranked = sorted(prediction.probabilities.items(), key=lambda entry: -entry[1])  # JSONB keeps no order
    return {
        "label": prediction.label,
        "confidence": prediction.confidence,
        "decision": prediction.decision,
        "reasons": prediction.reasons,
        "probabilities": [LabelProbability(label=label, probability=p) for label, p in ranked],
        "spans": [SpanOut(**span) for span in prediction.spans],
        "order_check": OrderCheckOut(**check) if check is not None else None,
        "truncated": prediction.truncated,
        "model_version": prediction.model_version,
        "created_at": prediction.created_at,
    }


def classify_answer(stored: Stored) -> Answer:
    """The answer for a text that is not stored: its spans and check are as read, for the row keeps numbers only."""
    fields, read = _fields(stored.prediction), stored.read
    fields["spans"] = [SpanOut(**asdict(span)) for span in read.prediction.spans]
    fields["order_check"] = OrderCheckOut(**asdict(read.check)) if read.check is not None else None
    return Answer(id=stored.prediction.id, text=stored.text, **fields)


def email_answer(email: Email) -> EmailOut:
    return EmailOut(
        id=email.id,
        message_id=email.message_id,
        sender=email.sender,
        to=email.recipients,
        subject=email.subject,
        received_at=email.received_at,
        metadata=email.details,
        text=email.text,
        **_fields(email.prediction),
    )
