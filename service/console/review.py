"""The review queue: how many wait, who has which, and the next one for this agent."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from service.console.marks import snippet
from service.console.site import page
from service.dependencies import ActorDep, SessionDep
from service.queries import reviews as queries
from service.review import is_held, margin

router = APIRouter(include_in_schema=False)
SHOWN = 30


@router.get("/review", response_class=HTMLResponse)
def review(request: Request, session: SessionDep, actor: ActorDep) -> HTMLResponse:
    """The first in line. Taking one is a change, so it is asked of POST /v1/review/next."""
    now = datetime.now(UTC)
    lines = [
        {
            "email": row.email,
            "prediction": row.email.prediction,
            "margin": margin(row.email.prediction),
            "holder": row.claimed_by if is_held(row, now) else None,
            "snippet": snippet(row.email, row.email.prediction.spans),
        }
        for row in queries.list_reviews(session, limit=SHOWN)
    ]
    context = {
        "lines": lines,
        "actor": actor,
        "count": queries.count_reviews(session),
        "free": queries.count_free_reviews(session, now=now),
    }
    return page(request, "review.html", context)
