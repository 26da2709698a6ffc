"""Models: their cards and figures, which one serves, and who changed that."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from service.console.site import page
from service.dependencies import FollowerDep, ReaderDep, SessionDep, ShelfDep
from service.model_answers import model_answers, promotion_answer
from service.queries import promotions as queries

router = APIRouter(include_in_schema=False)
SHOWN_PROMOTIONS = 20


@router.get("/models", response_class=HTMLResponse)
def models(
    request: Request, session: SessionDep, reader: ReaderDep, shelf: ShelfDep, follower: FollowerDep
) -> HTMLResponse:
    """Promoting and rolling back are asked of /v1/models."""
    serving = reader.classifier.version
    context = {
        "models": model_answers(session, shelf.models(), serving_version=serving),
        "promotions": [promotion_answer(row) for row in queries.list_promotions(session, limit=SHOWN_PROMOTIONS)],
        "problem": follower.problem,
    }
    return page(request, "models.html", context)
