"""What is erased of mails, and which mails."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Text, cast, func, or_, select
from sqlalchemy.orm import Session

from service.queries.database import begin_writing
from service.queries.reviews import lock_review
from service.tables import Email

PLAIN_RUN = re.compile(r"[a-z0-9.@+_=~!#$&'*/?^`{|}-]+")  # as it stands also inside a JSON column


def erase_email(session: Session, *, email: Email) -> None:
    """Text, subject, addresses, spans, what was cut, context, attachments, metadata, and what agents wrote. Its label,
    confidence, probabilities, decision and times are kept, and its message_id, so that it is not taken in again."""
    email.sender = email.subject = email.context = email.cut = email.attachments = None
    email.sender_address = email.content_hash = None
    email.text, email.recipients, email.details = "", [], {}
    email.erased_at = datetime.now(UTC)
    check = email.prediction.order_check
    email.prediction.spans = []
    email.prediction.order_check = {"swapped_text": "", "passed": check["passed"]} if check is not None else None
    for verdict in email.feedback:
        verdict.spans, verdict.reason = [], None
    if (review := lock_review(session, email_id=email.id)) is not None:
        session.delete(review)
    session.flush()


def emails_for_update(session: Session, *, email_ids: Sequence[str]) -> Sequence[Email]:
    """Those of these mails that still hold a text, locked, in the order of their ids."""
    begin_writing(session)
    query = select(Email).where(Email.id.in_(email_ids), Email.erased_at.is_(None)).order_by(Email.id)
    return session.scalars(query.with_for_update(of=Email).execution_options(populate_existing=True)).all()


def window_end(session: Session, *, after_id: str, before_id: str, size: int) -> str | None:
    """The id of the last one of the next `size` mails; None where there are no more."""
    ids = select(Email.id).where(Email.id > after_id, Email.id < before_id).order_by(Email.id).limit(size).subquery()
    last: str | None = session.scalar(select(func.max(ids.c.id)))
    return last


def unerased_ids(session: Session, *, after_id: str, last_id: str) -> Sequence[str]:
    query = select(Email.id).where(Email.id > after_id, Email.id <= last_id, Email.erased_at.is_(None))
    return session.scalars(query).all()


def addressed(
    session: Session, *, address: str, after_id: str, last_id: str
) -> Sequence[tuple[str, str | None, list[str]]]:
    """id, sender and recipients of mails that may bear this address: they hold its longest plain piece, in any case."""
    piece = max(PLAIN_RUN.findall(address.lower()) or [""], key=len)
    like = f"%{piece.replace('/', '//').replace('%', '/%').replace('_', '/_')}%"
    holds = or_(
        func.lower(Email.sender).like(like, escape="/"),
        func.lower(cast(Email.recipients, Text)).like(like, escape="/"),
    )
    query = select(Email.id, Email.sender, Email.recipients)
    query = query.where(Email.id > after_id, Email.id <= last_id, Email.erased_at.is_(None), holds)
    return [(row.id, row.sender, row.recipients) for row in session.execute(query)]
