"""The shop's own cases, in their newest revisions."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from service.queries.database import begin_writing
from service.tables import Email, ShopCase


def _is_newest() -> ColumnElement[bool]:
    """Of a case that was not erased."""
    other = aliased(ShopCase)
    newest = select(func.max(other.revision)).where(other.id == ShopCase.id).scalar_subquery()
    return and_(ShopCase.revision == newest, ShopCase.erased_at.is_(None))


def lock_case(session: Session, *, case_id: str) -> ShopCase | None:
    """The newest revision, which no erasure empties before this transaction ends."""
    begin_writing(session)
    query = select(ShopCase).where(_is_newest(), ShopCase.id == case_id).with_for_update(of=ShopCase)
    return session.scalars(query.execution_options(populate_existing=True)).first()


def revisions(session: Session, *, case_id: str) -> Sequence[ShopCase]:
    """Of one case, newest first; empty where there is none."""
    query = select(ShopCase).where(ShopCase.id == case_id, ShopCase.erased_at.is_(None))
    return session.scalars(query.order_by(ShopCase.revision.desc())).all()


def list_cases(
    session: Session, *, limit: int, before_id: str | None = None, retired: bool | None = None
) -> Sequence[ShopCase]:
    """Newest first, by keyset: ids are ordered by time."""
    query = select(ShopCase).where(_is_newest()).order_by(ShopCase.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(ShopCase.id < before_id)
    if retired is not None:
        query = query.where(ShopCase.retired == retired)
    return session.scalars(query).all()


def standing_cases(session: Session) -> Sequence[ShopCase]:
    """Those that are not retired, oldest first."""
    return session.scalars(
        select(ShopCase).where(_is_newest(), ShopCase.retired.is_(False)).order_by(ShopCase.id)
    ).all()


def standing_cases_of(session: Session, *, email: Email) -> Sequence[ShopCase]:
    """Those made of this mail, or of another from the same to the same with the same text, oldest first."""
    same = select(Email.id).where(Email.content_hash.is_not(None), Email.content_hash == email.content_hash)
    made = or_(ShopCase.email_id == email.id, ShopCase.email_id.in_(same))
    return session.scalars(
        select(ShopCase).where(_is_newest(), ShopCase.retired.is_(False), made).order_by(ShopCase.id)
    ).all()


def add_revision(session: Session, *, row: ShopCase) -> None:
    """Raises IntegrityError where the revision is taken."""
    session.add(row)
    session.flush()
