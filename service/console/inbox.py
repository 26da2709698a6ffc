"""The inbox: the newest mails with their labels and marked words."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from service.console.marks import snippet
from service.console.site import page
from service.dependencies import SessionDep
from service.queries import emails as queries

router = APIRouter(include_in_schema=False)
SHOWN = 50


@router.get("/", response_class=HTMLResponse)
def inbox(request: Request, session: SessionDep) -> HTMLResponse:
    emails = queries.list_emails(session, limit=SHOWN)
    rows = [{"email": email, "prediction": email.prediction, "snippet": snippet(email)} for email in emails]
    return page(request, "inbox.html", {"rows": rows})
