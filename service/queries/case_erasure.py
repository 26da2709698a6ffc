"""What is erased of the shop's own cases and of their runs, and which cases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from service.queries.database import begin_writing
from service.tables import ShopCase, SuiteRun, SuiteRunCase
from service.tables.shop_cases import SUITE

CASE_ID = 36  # characters; what a template makes of a case has more behind them
REASON = "the case was erased"


def cases_of_mails(session: Session, *, email_ids: Collection[str]) -> Sequence[str]:
    """The cases that were made of these mails and still hold a text."""
    query = select(ShopCase.id).where(ShopCase.email_id.in_(email_ids), ShopCase.erased_at.is_(None))
    return session.scalars(query.distinct().order_by(ShopCase.id)).all()


def owned_cases(session: Session) -> Sequence[tuple[str, str, list[str]]]:
    """id, mail and owners of all cases that still hold a text and whose owners are known."""
    query = select(ShopCase.id, ShopCase.email_id, ShopCase.owners).distinct().order_by(ShopCase.id)
    query = query.where(ShopCase.erased_at.is_(None), ShopCase.email_id.is_not(None), ShopCase.owners.is_not(None))
    return [(row.id, row.email_id, row.owners) for row in session.execute(query)]


def erase_cases(session: Session, *, case_ids: Collection[str]) -> list[str]:
    """Every wording that these cases had, and what runs kept of them; their runs' verdicts stay. Which were erased now.
    A revision that another transaction added meanwhile is found by the second look."""
    begin_writing(session)
    unerased = select(ShopCase).where(ShopCase.id.in_(case_ids), ShopCase.erased_at.is_(None))
    unerased = unerased.order_by(ShopCase.id, ShopCase.revision).with_for_update()
    erased: set[str] = set()
    while rows := session.scalars(unerased.execution_options(populate_existing=True)).all():
        for row in rows:
            row.case, row.owners, row.retired, row.erased_at = {}, None, True, datetime.now(UTC)
            erased.add(row.id)
        session.flush()
    if erased:
        _empty(session, case_ids=erased)
    return sorted(erased)


def forget_erased(session: Session, *, run_id: str) -> None:
    """A case may be erased while it is run: a run of the shop's suite that ends keeps nothing of it."""
    of_run = select(_case_id()).where(SuiteRunCase.run_id == run_id)
    asked = select(ShopCase.id, ShopCase.erased_at).where(ShopCase.id.in_(of_run))
    rows = session.execute(asked.order_by(ShopCase.id, ShopCase.revision).with_for_update(read=True))
    if erased := {row.id for row in rows if row.erased_at is not None}:
        _empty(session, case_ids=erased)


def _case_id() -> ColumnElement[str]:
    return func.substr(SuiteRunCase.case_id, 1, CASE_ID)


def _empty(session: Session, *, case_ids: Collection[str]) -> None:
    """The texts out of runs, and sentences that may quote them."""
    runs = select(SuiteRun.id).where(SuiteRun.suite == SUITE)
    mine = (SuiteRunCase.run_id.in_(runs), _case_id().in_(case_ids))
    without_sync = {"synchronize_session": False}
    quoting = select(SuiteRun).where(
        SuiteRun.id.in_(select(SuiteRunCase.run_id).where(*mine, SuiteRunCase.passed.is_(False)))
    )
    for run in session.scalars(quoting.order_by(SuiteRun.id).with_for_update()):
        run.complaints = [REASON if any(i in told for i in case_ids) else told for told in run.complaints or []]
    changed = update(SuiteRunCase).where(*mine)
    session.execute(changed.values(readings=[]), execution_options=without_sync)
    session.execute(changed.where(SuiteRunCase.passed.is_(False)).values(reason=REASON), execution_options=without_sync)
    session.flush()
