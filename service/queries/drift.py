"""What drift is measured on."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.queries.ids import first_id
from service.tables import Email, StoredPrediction


def newest_predicted(
    session: Session, *, since: datetime, until: datetime, model_version: str, limit: int
) -> list[tuple[str, str, float]]:
    """Text, label and confidence of the newest mails that came in a time and that a model read.

    Mails are found by their ids, which are ordered by time: no other index is needed.
    """
    query = (
        select(Email.text, StoredPrediction.label, StoredPrediction.confidence)
        .join(StoredPrediction, StoredPrediction.email_id == Email.id)
        .where(Email.id >= first_id(since), Email.id < first_id(until), StoredPrediction.model_version == model_version)
        .order_by(Email.id.desc())
        .limit(limit)
    )
    return [(text, label, confidence) for text, label, confidence in session.execute(query)]
