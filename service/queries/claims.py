"""Claims: taken, renewed and given back."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.tables import Claim


def take(session: Session, *, name: str, holder: str, now: datetime, free_before: datetime) -> bool:
    """Whether the claim is the holder's now. One that was last renewed before `free_before` is anyone's."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    taken = session.scalars(
        insert(Claim)
        .values(name=name, holder=holder, renewed_at=now)
        .on_conflict_do_update(
            index_elements=["name"],
            set_={"holder": holder, "renewed_at": now},
            where=Claim.renewed_at < free_before,
        )
        .returning(Claim.holder)
    )
    return taken.first() is not None


def renew(session: Session, *, name: str, holder: str, now: datetime) -> None:
    session.execute(
        update(Claim)
        .where(Claim.name == name, Claim.holder == holder)
        .values(renewed_at=now)
        .execution_options(synchronize_session=False)
    )


def give_back(session: Session, *, name: str, holder: str) -> None:
    session.execute(
        delete(Claim).where(Claim.name == name, Claim.holder == holder).execution_options(synchronize_session=False)
    )
