"""Mails and their predictions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Select, TextClause, exists, func, insert, select, text
from sqlalchemy.orm import Session, contains_eager, joinedload

from service.queries.feedback import handled, in_state
from service.queries.ids import first_id
from service.queries.search import page_of_words, searched, searched_by_number
from service.search_words import Search
from service.tables import ConversationReference, Email, StoredPrediction
from service.tables.emails import REASON_CONDITIONS

SLACK = timedelta(minutes=1)  # between a mail's id and its moment: in 0.1.0 these were two readings of the clock


def email_by_id(session: Session, *, email_id: str) -> Email | None:
    return session.get(Email, email_id)


class Known(NamedTuple):
    """Whether any of a batch's keys is stored: most mails are new, and one statement tells it of all of them."""

    identity: bool
    message_id: bool
    content: bool
    reference: bool


def known_among(
    session: Session,
    *,
    identities: Collection[str],
    message_ids: Collection[str],
    content_hashes: Collection[str],
) -> Known:
    """message_ids: the mails' own, and those that they mention."""
    conditions = (
        Email.identity.in_(identities),
        Email.message_id.in_(message_ids),
        Email.content_hash.in_(content_hashes),
        ConversationReference.message_id.in_(message_ids),
    )
    found = session.execute(select(*(exists().where(condition) for condition in conditions))).one()
    return Known(*(bool(value) for value in found))


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
    """A statement a table, whatever the number of rows. The objects stay outside the session: to take each in, and to
    find out again which of its fields are set, costs more than the rest of the way into the database."""
    mails = [row for row in rows if isinstance(row, Email)]
    for mail in mails:
        mail.prediction.email_id = mail.id
    predictions = [row.prediction if isinstance(row, Email) else row for row in rows]
    tables = Email.metadata.tables
    for table, group in ((tables["emails"], mails), (tables["predictions"], predictions)):
        if group:
            session.execute(insert(table), [_values(row) for row in group])


def _values(row: Email | StoredPrediction) -> dict[str, Any]:
    known = vars(row)
    return {column.key: known.get(column.key) for column in row.__table__.columns}


def list_emails(
    session: Session,
    *,
    limit: int,
    before_id: str | None = None,
    label: str | None = None,
    decision: str | None = None,
    reason: str | None = None,
    sender: str | None = None,
    conversation: str | None = None,
    state: str | None = None,
    created_from: datetime | None = None,
    created_until: datetime | None = None,
    search: Search | None = None,
    email_ids: Sequence[str] | None = None,
    handled_by: str | None = None,
) -> Sequence[Email]:
    """Newest first, by keyset: ids are ordered by time. Each way through is in the order of an index: that of what is
    asked for first of words, sender, conversation, and what is known of the prediction."""
    query = select(Email).join(Email.prediction).options(contains_eager(Email.prediction))
    by_mail = sender is not None or conversation is not None
    since_id = until_id = None
    newest = (Email.id if by_mail else StoredPrediction.email_id).desc()
    if sender is not None:
        query = query.where(Email.sender_address == sender)
    if conversation is not None:
        query = query.where(Email.conversation_id == conversation)
    if label is not None:
        query = query.where(StoredPrediction.label == label)
    if decision is not None:
        query = query.where(StoredPrediction.decision == decision)
    if reason is not None:
        query = query.where(has_reason(session, reason))
    if email_ids is not None:
        query = query.where(StoredPrediction.email_id.in_(email_ids))
    if state is not None:
        query = query.where(in_state(state))
    if handled_by is not None:
        query = query.where(StoredPrediction.email_id.in_(handled(handled_by)))
    if created_from is not None:
        query = _since(query, since_id := first_id(created_from - SLACK)).where(Email.created_at >= created_from)
    if created_until is not None:
        query = _before(query, until_id := first_id(created_until + SLACK)).where(Email.created_at < created_until)
    if search is not None and session.get_bind().dialect.name == "sqlite":
        return session.scalars(searched_by_number(query.limit(limit), search=search, before_id=before_id)).all()
    if before_id is not None:
        query = _before(query, before_id)
    query = query.order_by(newest)
    if search is None:
        return session.scalars(query.where(StoredPrediction.email_id.is_not(None)).limit(limit)).all()
    if by_mail or email_ids is not None:  # few
        return session.scalars(searched(query.limit(limit), search=search)).all()
    before_id = min((entry for entry in (before_id, until_id) if entry is not None), default=None)
    return page_of_words(session, query, limit=limit, search=search, before_id=before_id, since_id=since_id)


def _before(query: Select[Any], email_id: str) -> Select[Any]:
    """Said of both tables, for a planner draws no conclusion from one's id to the other's."""
    return query.where(StoredPrediction.email_id < email_id, Email.id < email_id)


def _since(query: Select[Any], email_id: str) -> Select[Any]:
    return query.where(StoredPrediction.email_id >= email_id, Email.id >= email_id)


def has_reason(session: Session, reason: str) -> TextClause:
    """Written out as in the partial indexes, so that these are used. Raises KeyError for what is no reason."""
    return text(REASON_CONDITIONS[session.get_bind().dialect.name][reason])


def email_ids_since(session: Session, *, least_id: str, limit: int) -> Sequence[str]:
    """Ids from least_id on, oldest first. Ids are made before their rows are committed, so a later look may find one
    that sorts before another that was seen already."""
    return session.scalars(select(Email.id).where(Email.id >= least_id).order_by(Email.id).limit(limit)).all()
