"""Stored rows to what goes over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from service.feedback import judged_spans, standing, state
from service.reading import Stored
from service.review import is_held, margin
from service.schemas.emails import (
    Answer,
    AttachmentOut,
    ConversationOut,
    CutPartOut,
    EmailOut,
    LabelProbability,
    OrderCheckOut,
    PreviousMail,
    SpanOut,
)
from service.schemas.feedback import FeedbackOut, MarkedSpan
from service.schemas.reviews import ReviewOut
from service.tables import Email, Feedback, Review, StoredPrediction


def _fields(prediction: StoredPrediction) -> dict[str, Any]:
    check = prediction.order_check
    # JSONB keeps no order, and equal probabilities need one
    ranked = sorted(
        prediction.probabilities.items(), key=lambda entry: (-entry[1], entry[0] != prediction.label, entry[0])
    )
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


def feedback_answer(row: Feedback, prediction: StoredPrediction) -> FeedbackOut:
    return FeedbackOut(
        number=row.number,
        verdict=row.verdict,
        label=row.label,
        spans=[MarkedSpan(**span) for span in row.spans],
        spans_judged=judged_spans(row, prediction),
        reason=row.reason,
        actor=row.actor,
        created_at=row.created_at,
    )


def stored_answer(stored: Stored) -> EmailOut:
    """The answer for a mail that has just come; the first answer where it had come before."""
    assert stored.email is not None
    answer = email_answer(stored.email, stored.previous)
    return answer.model_copy(update={"duplicate": "content"}) if stored.by_content else answer


def email_answer(email: Email, previous: Sequence[PreviousMail] = ()) -> EmailOut:
    """previous: the mails of its conversation before it, newest first."""
    known = email.conversation_id
    standing_label, standing_spans = standing(email)
    return EmailOut(
        id=email.id,
        message_id=email.message_id or email.reused_message_id,
        sender=email.sender,
        to=email.recipients,
        subject=email.subject,
        received_at=email.received_at,
        metadata=email.details,
        text=email.text,
        source=email.source,
        cut=[CutPartOut(**part) for part in email.cut] if email.cut is not None else None,
        context=email.context,
        attachments=[AttachmentOut(**entry) for entry in email.attachments] if email.attachments is not None else None,
        conversation=ConversationOut(id=known, previous=list(previous)) if known is not None else None,
        erased_at=email.erased_at,
        state=state(email),
        standing_label=standing_label,
        standing_spans=[MarkedSpan(**span) for span in standing_spans],
        feedback=[feedback_answer(row, email.prediction) for row in email.feedback],
        **_fields(email.prediction),
    )


def review_answer(review: Review, now: datetime) -> ReviewOut:
    """A row of the queue; a claim that has expired is none."""
    held = is_held(review, now)
    return ReviewOut(
        email=email_answer(review.email),
        margin=margin(review.email.prediction),
        due_at=review.due_at,
        claimed_by=review.claimed_by if held else None,
        claimed_until=review.claimed_until if held else None,
    )
