"""What drift is measured on."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.tables import Email, StoredPrediction


def _first_id(moment: datetime) -> str:
    """The least UUIDv7 of a moment (RFC 9562, section 5.7): its first 48 bits are milliseconds."""
    digits = f"{int(moment.timestamp() * 1000):012x}"
    return f"{digits[:8]}-{digits[8:]}-7000-8000-000000000000"


def newest_predicted(
    session: Session, *, since: datetime, until: datetime, model_version: str, limit: int
) -> list[tuple[str, str, float]]:
    """Text, label and confidence of the newest mails that came in a time and that a model read.

    Mails are found by their ids, which are ordered by time: no other index is needed.
    """
    query = (
        select(Email.text, StoredPrediction.label, StoredPrediction.confidence)
        .join(StoredPrediction, StoredPrediction.email_id == Email.id)
        .where(
            Email.id >= _first_id(since), Email.id < _first_id(until), StoredPrediction.model_version == model_version
        )
        .order_by(Email.id.desc())
        .limit(limit)
    )
    return [(text, label, confidence) for text, label, confidence in session.execute(query)]
