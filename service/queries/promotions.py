"""Promotions and rollbacks."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.tables import Promotion


def last_promotion(session: Session) -> Promotion | None:
    return session.scalars(select(Promotion).order_by(Promotion.number.desc()).limit(1)).first()


def promotions_in_order(session: Session) -> Sequence[Promotion]:
    """All, oldest first: a rollback needs to know what each of them did."""
    return session.scalars(select(Promotion).order_by(Promotion.number)).all()


def list_promotions(session: Session, *, limit: int, before_number: int | None = None) -> Sequence[Promotion]:
    """Newest first."""
    query = select(Promotion).order_by(Promotion.number.desc()).limit(limit)
    if before_number is not None:
        query = query.where(Promotion.number < before_number)
    return session.scalars(query).all()


def add_promotion(session: Session, *, promotion: Promotion) -> None:
    """Raises IntegrityError where another process has taken the number."""
    session.add(promotion)
    session.flush()
