"""Conversations: what is known of a thread's messages, and the mails that came before one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.conversations import conversation_of
from service.schemas.emails import PreviousMail
from service.tables import ConversationReference, Email, StoredPrediction

PREVIOUS = 10  # mails that an answer names
SHORT = 100  # mails of a conversation that are read whole
SUMMARY = select(
    Email.id, Email.conversation_id, StoredPrediction.label, StoredPrediction.decision, Email.created_at
).join(Email.prediction)


def conversations_by_message_id(
    session: Session, *, message_ids: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The conversations of those ids that are stored mails, and of those that stored mails mention. A mail from before
    conversations were kept is given one."""
    if not message_ids:
        return {}, {}
    mails: dict[str, str] = {}
    query = select(Email.id, Email.message_id, Email.conversation_id).where(Email.message_id.in_(message_ids))
    for email_id, message_id, known in session.execute(query).all():
        if message_id is not None:
            mails[message_id] = known or conversation_of(message_id)
        if message_id is not None and known is None:
            given = update(Email).where(Email.id == email_id).values(conversation_id=mails[message_id])
            session.execute(given.execution_options(synchronize_session=False))
    found = session.scalars(select(ConversationReference).where(ConversationReference.message_id.in_(message_ids)))
    return mails, {row.message_id: row.conversation_id for row in found}


def add_references(session: Session, *, references: Mapping[str, str]) -> None:
    """Message id → conversation; one that another process added meanwhile stays as it is."""
    if not references:
        return
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    rows = [{"message_id": key, "conversation_id": references[key]} for key in sorted(references)]  # no deadlock
    session.execute(insert(ConversationReference).on_conflict_do_nothing(), rows)


def previous_mails(session: Session, *, emails: Sequence[Email]) -> dict[str, list[PreviousMail]]:
    """For each mail, those of its conversation that came before it, newest first, at most PREVIOUS; a mail that has
    none is left out."""
    ids = {email.conversation_id for email in emails if email.conversation_id is not None}
    if not ids:
        return {}
    counted = select(Email.conversation_id, func.count(), func.min(Email.id)).where(Email.conversation_id.in_(ids))
    sizes = {row[0]: (row[1], row[2]) for row in session.execute(counted.group_by(Email.conversation_id))}
    later = [email for email in emails if email.conversation_id in sizes and email.id > sizes[email.conversation_id][1]]
    short = {email.conversation_id for email in later if sizes[email.conversation_id][0] <= SHORT}
    members = _members(session, conversation_ids=short) if short else {}
    before = {}
    for email in later:
        if email.conversation_id in short:
            mails = members[email.conversation_id]
            before[email.id] = [mail for mail in mails if mail.id < email.id][:PREVIOUS]
        else:
            before[email.id] = _last_before(session, email=email)
    return before


def _members(session: Session, *, conversation_ids: set[str | None]) -> dict[str | None, list[PreviousMail]]:
    """All mails of conversations that are short, newest first."""
    members: dict[str | None, list[PreviousMail]] = defaultdict(list)
    query = SUMMARY.where(Email.conversation_id.in_(conversation_ids)).order_by(Email.id.desc())
    for row in session.execute(query):
        members[row.conversation_id].append(_summary(row))
    return members


def _last_before(session: Session, *, email: Email) -> list[PreviousMail]:
    """Of a long conversation, as two machines that answer each other make it."""
    query = SUMMARY.where(Email.conversation_id == email.conversation_id, Email.id < email.id)
    return [_summary(row) for row in session.execute(query.order_by(Email.id.desc()).limit(PREVIOUS))]


def _summary(row: Any) -> PreviousMail:
    return PreviousMail(id=row.id, label=row.label, decision=row.decision, created_at=row.created_at)
