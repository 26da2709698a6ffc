"""The review queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, insert, or_, select, tuple_, update
from sqlalchemy.orm import Session

from service.queries.database import begin_writing
from service.queries.feedback import in_state
from service.tables import Email, Review, StoredPrediction


def _free(now: datetime) -> ColumnElement[bool]:
    return or_(Review.claimed_until.is_(None), Review.claimed_until <= now)


def list_reviews(
    session: Session, *, limit: int, after: tuple[datetime, str] | None = None, actor: str | None = None
) -> Sequence[Review]:
    """The earliest due first; after: due_at and email_id of the last one of the page before; actor: whose claims."""
    query = select(Review).order_by(Review.due_at, Review.email_id).limit(limit)
    if after is not None:
        query = query.where(tuple_(Review.due_at, Review.email_id) > after)
    if actor is not None:
        query = query.where(Review.claimed_by == actor)
    return session.scalars(query).all()


def count_reviews(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Review)) or 0


def count_free_reviews(session: Session, *, now: datetime) -> int:
    return session.scalar(select(func.count()).select_from(Review).where(_free(now))) or 0


def claim_next(
    session: Session, *, actor: str, now: datetime, until: datetime, put_back: bool = False
) -> Review | None:
    """The earliest due that nobody has, now this actor's. Two callers never get one mail: PostgreSQL skips the rows
    that another transaction has locked, SQLite has one writer at a time.

    put_back: what the actor held is free again once the next is found, which is first looked for behind it.
    """
    begin_writing(session)
    query = select(Review).where(_free(now)).order_by(Review.due_at, Review.email_id).limit(1)
    query = query.with_for_update(skip_locked=True, of=Review).execution_options(populate_existing=True)
    behind = _last_held(session, actor=actor, now=now) if put_back else None
    review = None
    if behind is not None:
        review = session.scalar(query.where(tuple_(Review.due_at, Review.email_id) > behind))
    if review is None:
        review = session.scalar(query)
    if review is not None and put_back:
        nobody = {"claimed_by": None, "claimed_until": None}
        _change_claims(session, Review.email_id != review.email_id, actor=actor, now=now, values=nobody)
    if review is not None:
        review.claimed_by, review.claimed_until = actor, until
        session.flush()
    return review


def _last_held(session: Session, *, actor: str, now: datetime) -> tuple[datetime, str] | None:
    """The place in line, due_at and email_id, of the last mail that this actor holds."""
    query = select(Review.due_at, Review.email_id).where(Review.claimed_by == actor, Review.claimed_until > now)
    row = session.execute(query.order_by(Review.due_at.desc(), Review.email_id.desc()).limit(1)).first()
    return (row.due_at, row.email_id) if row is not None else None


def review_by_id(session: Session, *, email_id: str) -> Review | None:
    return session.get(Review, email_id)


def lock_review(session: Session, *, email_id: str) -> Review | None:
    """One row of the queue, which no other writer changes before this transaction ends."""
    begin_writing(session)
    return session.get(Review, email_id, with_for_update={"of": Review}, populate_existing=True)


def extend_claims(session: Session, *, actor: str, now: datetime, until: datetime) -> None:
    """What an agent holds is held for longer while the agent works."""
    _change_claims(session, Review.claimed_until < until, actor=actor, now=now, values={"claimed_until": until})


def _change_claims(
    session: Session, which: ColumnElement[bool], *, actor: str, now: datetime, values: Mapping[str, datetime | None]
) -> None:
    """A row that another transaction has is passed over: to wait for it here, in no certain order, would end in
    deadlocks."""
    mine = (Review.claimed_by == actor, Review.claimed_until > now, which)
    free = select(Review.email_id).where(*mine).with_for_update(skip_locked=True)
    session.execute(
        update(Review).where(Review.email_id.in_(free)).values(dict(values)),
        execution_options={"synchronize_session": False},
    )


def add_reviews(session: Session, *, due: Mapping[str, datetime]) -> None:
    """Put mails that are stored in line: id → when it is due."""
    if due:
        session.execute(insert(Review), [{"email_id": email_id, "due_at": moment} for email_id, moment in due.items()])


def mails_without_review(session: Session, *, after_id: str, limit: int) -> tuple[dict[str, datetime], str | None]:
    """Open mails for review that are not in line: those of a release that knew no queue; they are due when they came.
    Looks at `limit` mails past after_id, and gives the last one's id, or None where there are no more."""
    of_review = (StoredPrediction.decision == "review", StoredPrediction.email_id > after_id)
    window = select(StoredPrediction.email_id).where(*of_review).order_by(StoredPrediction.email_id).limit(limit)
    ids = session.scalars(window).all()
    if not ids:
        return {}, None
    in_line = select(Review.email_id).where(Review.email_id == Email.id).exists()
    whole = (Email.erased_at.is_(None), in_state("open"))  # what was erased waits no more
    missing = select(Email.id, Email.created_at).where(Email.id.in_(ids), *whole, ~in_line)
    return {row.id: row.created_at for row in session.execute(missing)}, ids[-1]
