"""Conversations: what is known of a thread's messages, and the mails that came before one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select, func, literal, select, union_all, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.conversations import conversation_of
from service.schemas.emails import PreviousMail
from service.tables import ConversationReference, Email, StoredPrediction

PREVIOUS = 10  # mails that an answer names


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
    begun = select(Email.conversation_id, func.min(Email.id)).where(Email.conversation_id.in_(ids))
    first = {row[0]: row[1] for row in session.execute(begun.group_by(Email.conversation_id))}
    later = [email for email in emails if email.id > first.get(email.conversation_id, email.id)]
    if not later:
        return {}
    before: dict[str, list[PreviousMail]] = defaultdict(list)
    for row in session.execute(union_all(*map(_before, later))):
        found = PreviousMail(id=row.id, label=row.label, decision=row.decision, created_at=row.created_at)
        before[row.later_id].append(found)
    for mails in before.values():
        mails.sort(key=lambda mail: mail.id, reverse=True)
    return before


def _before(email: Email) -> Select[Any]:
    """The last mails of a conversation before this one, in a subquery: only there SQLite lets a union's part be
    limited."""
    columns = (Email.id, StoredPrediction.label, StoredPrediction.decision, Email.created_at)
    part = select(literal(email.id).label("later_id"), *columns).join(Email.prediction)
    part = part.where(Email.conversation_id == email.conversation_id, Email.id < email.id)
    return select(part.order_by(Email.id.desc()).limit(PREVIOUS).subquery())
