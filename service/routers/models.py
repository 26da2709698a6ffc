"""/v1/models: which models there are, which one serves, and who changed that."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse

from service.access import Role
from service.dependencies import (
    ActorDep,
    FollowerDep,
    PromotionQueueDep,
    ReaderDep,
    RoleDep,
    SessionDep,
    SessionsDep,
    ShelfDep,
    SuiteRunsDep,
)
from service.errors import Forbidden, NotFound
from service.model_answers import model_answers, promotion_answer
from service.model_shelf import ModelShelf, UnknownModel
from service.promotion import promote, roll_back
from service.queries import promotions as queries
from service.routers.emails import MISSING, PROBLEMS
from service.schemas.emails import Problem
from service.schemas.models import ModelPage, PromoteIn, PromotionOut, PromotionPage, PromotionPending, RollbackIn
from service.tables import Promotion

PROMOTE_WAIT_SECONDS = 5.0  # then the caller is told where to look

router = APIRouter(prefix="/v1/models", tags=["models"])
FORBIDDEN: dict[int | str, dict[str, Any]] = {403: {"model": Problem, "content": {"application/problem+json": {}}}}
CONFLICT: dict[int | str, dict[str, Any]] = {409: {"model": Problem, "content": {"application/problem+json": {}}}}
DOWN: dict[int | str, dict[str, Any]] = {status: PROBLEMS[status] for status in (422, 503)}


@router.get("", responses=DOWN)
def get_models(session: SessionDep, shelf: ShelfDep, reader: ReaderDep) -> ModelPage:
    """Every model folder with its card's figures and each suite's last result; bad ones with what is wrong."""
    return ModelPage(data=model_answers(session, shelf.models(), serving_version=reader.classifier.version))


@router.get("/promotions", responses=DOWN)
def get_promotions(
    session: SessionDep,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="next_cursor of the page before")] = None,
) -> PromotionPage:
    """Changes of the serving model, newest first."""
    found = queries.list_promotions(session, limit=limit + 1, before_number=cursor)
    page = [promotion_answer(row) for row in found[:limit]]
    return PromotionPage(data=page, next_cursor=str(page[-1].number) if len(found) > limit else None)


@router.post(
    "/{version}/promote",
    response_model=PromotionOut,
    responses={202: {"model": PromotionPending}, **MISSING, **FORBIDDEN, **CONFLICT, **DOWN},
)
def post_promote(
    version: str,
    sessions: SessionsDep,
    shelf: ShelfDep,
    follower: FollowerDep,
    runs: SuiteRunsDep,
    queue: PromotionQueueDep,
    actor: ActorDep,
    role: RoleDep,
    body: PromoteIn | None = None,
) -> PromotionOut | Response:
    """Run the suites on this model; where none fails it serves, and every process follows.

    What takes longer than five seconds goes on in the background: 202, and Location is where its runs are read. Asked
    again after that, the finished runs are used.
    """
    asked = body or PromoteIn()
    if asked.force and role is not Role.ADMIN:
        raise Forbidden("force is for admins")

    def work() -> Promotion:
        row = promote(sessions, shelf, runs, version=version, actor=actor, force=asked.force, reason=asked.reason)
        follower.follow()
        return row

    row = queue.promote(work, within_seconds=PROMOTE_WAIT_SECONDS)
    if row is not None:
        return promotion_answer(row)
    location = f"/v1/checks/runs?{urlencode({'model': _whole_version(shelf, version)})}"
    pending = PromotionPending(version=version, runs=location, promotions=f"{router.prefix}/promotions")
    return JSONResponse(pending.model_dump(), HTTPStatus.ACCEPTED, headers={"Location": location})


def _whole_version(shelf: ModelShelf, version: str) -> str:
    try:
        return str(shelf.find(version).version)
    except UnknownModel as error:
        raise NotFound(str(error)) from None


@router.post("/rollback", responses={**CONFLICT, **DOWN})
def post_rollback(
    sessions: SessionsDep, shelf: ShelfDep, follower: FollowerDep, actor: ActorDep, body: RollbackIn | None = None
) -> PromotionOut:
    """Let the model serve that served before the newest promotion that still stands."""
    row = roll_back(sessions, shelf, actor=actor, reason=body.reason if body is not None else None)
    follower.follow()
    return promotion_answer(row)
