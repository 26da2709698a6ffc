"""/v1/views: the inbox's filters that an agent keeps under a name."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import uuid_utils
from fastapi import APIRouter

from service.dependencies import ActorDep, SessionDep
from service.errors import InvalidRequest, NotFound
from service.queries import views as queries
from service.routers.emails import MISSING, PROBLEMS, known_id
from service.schemas.views import ViewIn, ViewOut, ViewPage
from service.tables import SavedView

router = APIRouter(prefix="/v1/views", tags=["views"])
MAX_VIEWS = 30  # of one agent: they stand in one line of the inbox
DOWN: dict[int | str, dict[str, Any]] = {503: PROBLEMS[503]}


@router.get("", responses=DOWN)
def get_views(session: SessionDep, actor: ActorDep) -> ViewPage:
    """Your kept views."""
    return ViewPage(data=[_answer(view) for view in queries.list_views(session, actor=actor)])


@router.post("", status_code=HTTPStatus.CREATED, responses={code: PROBLEMS[code] for code in (400, 422, 503)})
def post_view(given: ViewIn, session: SessionDep, actor: ActorDep) -> ViewOut:
    """Keep filters under a name; a name that you use already gets these filters."""
    view = queries.view_by_name(session, actor=actor, name=given.name)
    if view is not None:
        view.query = given.query
        return _answer(view)
    if len(queries.list_views(session, actor=actor)) >= MAX_VIEWS:
        raise InvalidRequest(f"{MAX_VIEWS} views are kept already; delete one")
    view = SavedView(
        id=str(uuid_utils.uuid7()), actor=actor, name=given.name, query=given.query, created_at=datetime.now(UTC)
    )
    queries.add_view(session, view=view)
    return _answer(view)


@router.delete("/{view_id}", status_code=HTTPStatus.NO_CONTENT, responses={**MISSING, **DOWN})
def delete_view(view_id: str, session: SessionDep, actor: ActorDep) -> None:
    """Forget one of your views."""
    if not queries.delete_view(session, actor=actor, view_id=known_id(view_id)):
        raise NotFound("you keep no view with this id")


def _answer(view: SavedView) -> ViewOut:
    return ViewOut(id=view.id, name=view.name, query=view.query)
