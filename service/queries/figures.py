"""Counts over stored predictions, for the health page. Ids are ordered by time, so a period is a range of ids."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import BigInteger, case, cast, extract, func, select
from sqlalchemy.orm import Session

from service.tables import Email, Review, StoredPrediction


def mails_by_period(session: Session, *, least_id: str, period_seconds: int) -> dict[int, int]:
    """Number of the period since 1970 → mails that came in it."""
    period = (cast(extract("epoch", Email.created_at), BigInteger) // period_seconds).label("period")
    query = select(period, func.count()).where(Email.id >= least_id).group_by("period")
    return {int(period): count for period, count in session.execute(query)}


def predictions_by_label(session: Session, *, least_id: str) -> dict[tuple[str, str], int]:
    """(label, decision) → predictions."""
    columns = (StoredPrediction.label, StoredPrediction.decision)
    query = select(*columns, func.count()).where(StoredPrediction.id >= least_id).group_by(*columns)
    return {(label, decision): count for label, decision, count in session.execute(query)}


def predictions_under(session: Session, *, least_id: str, confidences: Sequence[float]) -> list[int]:
    """For each confidence, how many predictions are less sure."""
    sums = [func.coalesce(func.sum(case((StoredPrediction.confidence < edge, 1), else_=0)), 0) for edge in confidences]
    row = session.execute(select(*sums).where(StoredPrediction.id >= least_id)).one()
    return [int(value) for value in row]


def reviews_by_age(session: Session, *, edges: Sequence[datetime]) -> list[int]:
    """For each moment, how many of the waiting mails came after it."""
    sums = [func.coalesce(func.sum(case((Email.created_at >= edge, 1), else_=0)), 0) for edge in edges]
    row = session.execute(select(*sums).select_from(Review).join(Review.email)).one()
    return [int(value) for value in row]


def oldest_review(session: Session) -> datetime | None:
    """When the mail came that waits longest."""
    waiting = select(Email.created_at).join(Review, Review.email_id == Email.id)
    return session.scalar(waiting.order_by(Email.id).limit(1))
