"""Verdicts of agents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import uuid_utils
from sqlalchemy import ColumnElement, Select, exists, select
from sqlalchemy.orm import Session, aliased

from service.queries.database import begin_writing
from service.tables import Email, Feedback


def lock_email(session: Session, *, email_id: str) -> Email | None:
    """One mail, which no other writer changes before this transaction ends."""
    begin_writing(session)
    return session.get(Email, email_id, with_for_update={"of": Email}, populate_existing=True)


def append_feedback(
    session: Session,
    *,
    email: Email,
    verdict: str,
    label: str,
    spans: Sequence[dict[str, Any]],
    spans_judged: bool,
    reason: str | None,
    actor: str,
) -> Feedback:
    """The next verdict on a mail that is locked."""
    row = Feedback(
        id=str(uuid_utils.uuid7()),
        number=len(email.feedback) + 1,
        verdict=verdict,
        label=label,
        spans=list(spans),
        spans_judged=spans_judged,
        reason=reason,
        actor=actor,
        created_at=datetime.now(UTC),
    )
    email.feedback.append(row)
    session.flush()
    return row


def handled(actor: str) -> Select[str]:
    """Ids of the mails on which this agent gave a verdict."""
    return select(Feedback.email_id).where(Feedback.actor == actor)


def in_state(state: str) -> ColumnElement[bool]:
    """Mails on which this state stands: the newest verdict is it, or none stands where it is `open`."""
    newest, later = aliased(Feedback), aliased(Feedback)
    is_newest = ~exists().where(later.email_id == newest.email_id, later.number > newest.number)
    if state == "open":
        closed = exists().where(newest.email_id == Email.id, newest.verdict != "withdrawn", is_newest)
        return ~closed
    return Email.id.in_(select(newest.email_id).where(newest.verdict == state, is_newest))
