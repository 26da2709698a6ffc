"""/v1/keys: keys made, listed and revoked by admins."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from service.access import Role
from service.dependencies import ActorDep, SessionDep
from service.issuing import make_key, revoke_key
from service.queries import keys as queries
from service.routers.emails import MISSING, PROBLEMS, Id
from service.schemas.emails import Problem
from service.schemas.keys import KeyIn, KeyOut, KeyPage, NewKey
from service.tables import ApiKey

router = APIRouter(prefix="/v1/keys", tags=["keys"])
TAKEN: dict[int | str, dict[str, Any]] = {409: {"model": Problem, "content": {"application/problem+json": {}}}}
FAULTS: dict[int | str, dict[str, Any]] = {status: PROBLEMS[status] for status in (422, 503)}


def key_answer(row: ApiKey) -> KeyOut:
    return KeyOut(
        name=row.name,
        prefix=row.prefix,
        role=Role(row.role),
        requests_per_second=row.requests_per_second,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )


@router.post("", status_code=HTTPStatus.CREATED, responses={400: PROBLEMS[400], **TAKEN, **FAULTS})
def post_key(wanted: KeyIn, session: SessionDep, actor: ActorDep) -> NewKey:
    """Make a key. Its secret is in this answer and nowhere else."""
    row, key = make_key(session, wanted=wanted, actor=actor)
    return NewKey(key=key, **key_answer(row).model_dump())


@router.get("", responses=FAULTS)
def get_keys(
    session: SessionDep,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(pattern=Id, description="next_cursor of the page before")] = None,
) -> KeyPage:
    """Keys, newest first, revoked ones too."""
    found = queries.list_keys(session, limit=limit + 1, before_id=cursor)
    page = found[:limit]
    return KeyPage(data=[key_answer(row) for row in page], next_cursor=page[-1].id if len(found) > limit else None)


@router.delete("/{prefix}", status_code=HTTPStatus.NO_CONTENT, responses={**MISSING, 503: PROBLEMS[503]})
def delete_key(prefix: str, session: SessionDep, actor: ActorDep, request: Request) -> Response:
    """Revoke a key by its prefix or its name. Within five seconds no process lets it in any more."""
    revoke_key(session, named=prefix.replace("\0", ""), actor=actor)
    request.state.callers.forget()
    return Response(status_code=HTTPStatus.NO_CONTENT)
