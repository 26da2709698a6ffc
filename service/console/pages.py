"""The inbox: the newest mails with their labels and marked words. Mail is hostile: it is only ever escaped text."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from markupsafe import Markup, escape

from service.dependencies import ReaderDep, SessionDep
from service.queries import emails as queries
from service.tables import Email

router = APIRouter(include_in_schema=False)
TEMPLATES = Jinja2Templates(directory=Path(__file__).parent / "templates")
SHOWN = 100
POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def marked(email: Email) -> Markup:
    """A mail's text, escaped, with its spans in <mark> elements of their role's class."""
    pieces, read = [], 0
    for span in sorted(email.prediction.spans, key=lambda span: span["start"]):
        pieces.append(escape(email.text[read : span["start"]]))
        words = email.text[span["start"] : span["end"]]
        pieces.append(Markup('<mark class="{0}" title="{0}">{1}</mark>').format(span["role"], words))
        read = span["end"]
    return Markup("").join([*pieces, escape(email.text[read:])])


@router.get("/", response_class=HTMLResponse)
def inbox(request: Request, session: SessionDep, reader: ReaderDep) -> HTMLResponse:
    emails = queries.list_emails(session, limit=SHOWN)
    rows = [{"email": email, "prediction": email.prediction, "marked": marked(email)} for email in emails]
    context = {"rows": rows, "model_version": reader.classifier.version}
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
    return TEMPLATES.TemplateResponse(request, "inbox.html", context, headers=headers)
