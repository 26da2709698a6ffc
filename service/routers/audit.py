"""/v1/audit: who did what."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from service.dependencies import SessionDep
from service.queries import audit as queries
from service.routers.emails import PROBLEMS, Id
from service.schemas.audit import AuditEntryOut, AuditPage
from service.schemas.emails import Line
from service.tables import AuditEntry

router = APIRouter(prefix="/v1/audit", tags=["audit"])


def _answer(row: AuditEntry) -> AuditEntryOut:
    return AuditEntryOut(
        id=row.id,
        actor=row.actor,
        action=row.action,
        subject=row.subject,
        details=row.details,
        created_at=row.created_at,
    )


@router.get("", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})
def get_audit(
    session: SessionDep,
    actor: Line | None = None,
    action: Line | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(pattern=Id, description="next_cursor of the page before")] = None,
) -> AuditPage:
    """Who did what, newest first: made or revoked a key, signed in, promoted, erased, corrected."""
    found = queries.list_entries(session, limit=limit + 1, before_id=cursor, actor=actor, action=action)
    page = [_answer(row) for row in found[:limit]]
    return AuditPage(data=page, next_cursor=page[-1].id if len(found) > limit else None)
