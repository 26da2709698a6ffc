"""The inbox: the newest mails with their labels and marked words, live, filtered by its address."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from sse_starlette import EventSourceResponse, ServerSentEvent

from model.config import LABELS
from model.reasons import REASONS
from service.console.arrivals import MOST_IDS, Arrivals
from service.console.filters import STATES, Filters, View, built_in_views
from service.console.marks import snippet
from service.console.site import HEADERS, page
from service.dependencies import ActorDep, SessionDep
from service.errors import InvalidRequest
from service.feedback import in_doubt, standing, state
from service.queries import emails as queries
from service.queries import views as view_queries
from service.tables import Email

router = APIRouter(include_in_schema=False)
SHOWN = 50
ROWS_AT_ONCE = 100
Before = Annotated[str, Query(max_length=36)]


def rows(emails: Sequence[Email]) -> list[dict[str, Any]]:
    """What a line of the inbox shows: the label and spans that stand, and whose they are."""
    shown = []
    for email in emails:
        label, spans = standing(email)
        spans = [] if in_doubt(email) else spans
        last = email.feedback[-1] if email.feedback else None
        shown.append(
            {
                "email": email,
                "prediction": email.prediction,
                "label": label,
                "state": state(email),
                "by": last.actor if last is not None else None,
                "snippet": snippet(email, spans),
            }
        )
    return shown


@router.get("/", response_class=HTMLResponse)
def inbox(request: Request, session: SessionDep, actor: ActorDep, before: Before = "") -> HTMLResponse:
    """before: the id of the last mail of the page that was seen."""
    filters = Filters.of(request)
    before = before.replace("\0", "")
    fault, found = None, []
    try:
        found = list(queries.list_emails(session, limit=SHOWN + 1, before_id=before or None, **filters.arguments()))
    except InvalidRequest as error:
        fault = error.detail
    emails = found[:SHOWN]
    kept_views = view_queries.list_views(session, actor=actor)
    context = {
        "rows": rows(emails),
        "filters": filters,
        "fault": fault,
        "views": [
            *built_in_views(actor),
            *(View(kept.name, Filters.parse(kept.query), kept.id) for kept in kept_views),
        ],
        "before": before,
        "older": emails[-1].id if len(found) > SHOWN else None,
        "labels": LABELS,
        "reasons": REASONS,
        "states": STATES,
    }
    return page(request, "inbox.html", context)


@router.get("/inbox/rows", response_class=HTMLResponse)
def inbox_rows(
    request: Request, session: SessionDep, ids: Annotated[str, Query(max_length=37 * ROWS_AT_ONCE)]
) -> HTMLResponse:
    """The lines of these mails, parted by commas, as far as the filters of the address let them through."""
    wanted = [entry for entry in ids.replace("\0", "").split(",") if entry][:ROWS_AT_ONCE]
    emails = queries.list_emails(session, limit=ROWS_AT_ONCE, email_ids=wanted, **Filters.of(request).arguments())
    return page(request, "rows.html", {"rows": rows(emails)})


@router.get("/inbox/events")
async def inbox_events(request: Request, after: Annotated[str, Query(max_length=36)] = "") -> EventSourceResponse:
    """Server-sent events: `mail` with the ids of new mails. after, or the browser's Last-Event-ID: the newest known."""
    arrivals: Arrivals = request.state.arrivals
    known = request.headers.get("last-event-id", after).replace("\0", "")[:36]

    async def events() -> AsyncIterator[ServerSentEvent]:
        async for ids in arrivals.listen(known or "g"):  # past every id: an empty inbox has missed nothing
            kind = "mail" if len(ids) < MOST_IDS else "reload"
            yield ServerSentEvent(json.dumps(ids), event=kind, id=max(ids), retry=1_000)

    return EventSourceResponse(events(), headers=HEADERS, ping=15)
