"""Mails and their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from service.tables import Email, StoredPrediction


def email_by_id(session: Session, *, email_id: str) -> Email | None:
    return session.get(Email, email_id)


def emails_by_message_id(session: Session, *, message_ids: Sequence[str]) -> dict[str, Email]:
    """The mails that are already stored under these ids."""
    if not message_ids:
        return {}
    found = session.scalars(select(Email).where(Email.message_id.in_(message_ids)))
    return {email.message_id: email for email in found if email.message_id is not None}


def emails_by_identity(session: Session, *, identities: Sequence[str]) -> dict[str, Email]:
    if not identities:
        return {}
    found = session.scalars(select(Email).where(Email.identity.in_(identities)))
    return {email.identity: email for email in found if email.identity is not None}


def last_emails_by_content(session: Session, *, content_hashes: Sequence[str]) -> dict[str, Email]:
    """The newest mail of each content."""
    if not content_hashes:
        return {}
    newest = select(func.max(Email.id)).where(Email.content_hash.in_(content_hashes)).group_by(Email.content_hash)
    found = session.scalars(select(Email).where(Email.id.in_(newest)))
    return {email.content_hash: email for email in found if email.content_hash is not None}


def predictions_by_id(session: Session, *, prediction_ids: Sequence[str]) -> dict[str, StoredPrediction]:
    """Those of these ids that are stored, with their mails."""
    if not prediction_ids:
        return {}
    query = select(StoredPrediction).where(StoredPrediction.id.in_(prediction_ids))
    found = session.scalars(query.options(joinedload(StoredPrediction.email)))
    return {prediction.id: prediction for prediction in found}


def add_predictions(session: Session, *, rows: Sequence[Email | StoredPrediction]) -> None:
    session.add_all(rows)
    session.flush()


def list_emails(
    session: Session,
    *,
    limit: int,
    before_id: str | None = None,
    label: str | None = None,
    decision: str | None = None,
    created_from: datetime | None = None,
    created_until: datetime | None = None,
) -> Sequence[Email]:
    """Newest first, by keyset: ids are ordered by time."""
    query = select(Email).join(Email.prediction).order_by(StoredPrediction.email_id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(StoredPrediction.email_id < before_id)
    if label is not None:
        query = query.where(StoredPrediction.label == label)
    if decision is not None:
        query = query.where(StoredPrediction.decision == decision)
    if created_from is not None:
        query = query.where(Email.created_at >= created_from)
    if created_until is not None:
        query = query.where(Email.created_at < created_until)
    return session.scalars(query).all()
