"""Models: their cards and figures, which one serves, and who changed that."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from service.access import Role, may
from service.console.promotions import attempts
from service.console.site import page
from service.dependencies import FollowerDep, ReaderDep, SessionDep, ShelfDep
from service.model_answers import model_answers

router = APIRouter(include_in_schema=False)


@router.get("/models", response_class=HTMLResponse)
def models(
    request: Request, session: SessionDep, reader: ReaderDep, shelf: ShelfDep, follower: FollowerDep
) -> HTMLResponse:
    """Promoting and rolling back are asked of /v1/models."""
    serving = reader.classifier.version
    history = attempts(session)
    last = {attempt.version: attempt.outcome for attempt in reversed(history)}
    role = request.state.role
    context = {
        "models": model_answers(session, shelf.models(), serving_version=serving),
        "history": history,
        "going_on": {version for version, outcome in last.items() if outcome == "going on"},
        "refused": {version for version, outcome in last.items() if outcome == "refused"},
        "may_go_back": any(attempt.outcome == "promotion" for attempt in history),
        "may_promote": may(role, "POST", "/v1/models/rollback"),
        "may_force": role is Role.ADMIN,
        "problem": follower.problem,
        "models_folder": shelf.models_folder,
    }
    return page(request, "models.html", context)
