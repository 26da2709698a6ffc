"""What is stored of a mail: all of it, with numbers and addresses redacted, or nothing but the prediction's numbers.

Reading comes first, so neither changes a label. The answer to a mail that has just come is made before this and is
whole where no text is stored; redacted it is as stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.redaction import redact
from service.review import due_at
from service.tables import Email, StoredPrediction


def redact_email(email: Email) -> None:
    """Redact all words of a mail that is not stored yet; sender and recipients stay, for they tell whom to answer. No
    offset moves, because a placeholder is as long as what it stands for."""
    email.text = redact(email.text)
    email.subject = redact(email.subject) if email.subject is not None else None
    email.context = redact(email.context) if email.context is not None else None
    email.cut = [{**part, "text": redact(part["text"])} for part in email.cut] if email.cut is not None else None
    prediction = email.prediction
    prediction.spans = [{**span, "text": email.text[span["start"] : span["end"]]} for span in prediction.spans]
    if prediction.order_check is not None:
        check: Mapping[str, Any] = prediction.order_check
        prediction.order_check = {**check, "swapped_text": redact(check["swapped_text"])}


def without_words(email: Email) -> Email:
    """The row that is stored of a mail where no text is: another object, so that the first can still be answered."""
    whole = email.prediction
    check = whole.order_check
    kept = {column.key: getattr(email, column.key) for column in Email.__table__.columns if column.key not in WORDS}
    numbers = {column.key: getattr(whole, column.key) for column in StoredPrediction.__table__.columns}
    numbers["spans"] = []
    numbers["order_check"] = {"swapped_text": "", "passed": check["passed"]} if check is not None else None
    prediction = StoredPrediction(**numbers)
    blank: dict[str, Any] = {"text": "", "recipients": [], "details": {}, "feedback": []}
    return Email(**kept, **blank, erased_at=email.created_at, prediction=prediction)


WORDS = frozenset(
    {"sender", "sender_address", "content_hash", "recipients", "subject", "text"}
    | {"details", "cut", "context", "attachments", "erased_at"}
)


@dataclass(frozen=True)
class Keeping:
    """What the settings say of it. text: whether anything but numbers is stored; redacted: see redact_email."""

    text: bool = True
    redacted: bool = False
    review_patience_seconds: float = 86_400.0

    def row(self, email: Email) -> Email:
        """The row that is stored of a mail."""
        if self.redacted:
            redact_email(email)
        return email if self.text else without_words(email)

    def due(self, rows: Sequence[Email | StoredPrediction]) -> dict[str, datetime]:
        """The mails that a person must see, with their places in the queue."""
        mails = [row for row in rows if isinstance(row, Email) and row.prediction.decision == "review"]
        return {mail.id: due_at(mail.prediction, patience_seconds=self.review_patience_seconds) for mail in mails}
