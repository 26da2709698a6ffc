"""A mail: its words with spans, what was cut, why it got its label, its order check, its conversation and history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from model.classifier import Classifier
from model.config import LABELS
from model.occlusion import MAX_WORDS, occlude
from service.answers import email_answer
from service.console.marks import ROLE_WORDS, body_start, marked
from service.console.next_steps import next_step, read_next_steps
from service.console.site import page, percent, words
from service.dependencies import ActorDep, ReaderDep, SessionDep, SettingsDep
from service.feedback import bare_spans, in_doubt, judged_spans, standing, state
from service.queries import emails as queries
from service.queries import reviews as review_queries
from service.queries.conversations import previous_mails
from service.review import is_held
from service.tables import Email

router = APIRouter(include_in_schema=False)
SHOWN_CHARACTERS = 20_000  # of the words and of each cut part, unless all were asked for
SHOWN_INFLUENCES = 10
CHECKED_CHARACTERS = 4_000  # a longer mail's exchanged text is not read again for the page
CUT_WORDS = {
    "quote": "quoted thread",
    "forwarded": "forwarded header",
    "mobile_signature": "line that a telephone added",
}


@router.get("/mails/{email_id}", response_class=HTMLResponse)
def mail(
    request: Request,
    email_id: str,
    session: SessionDep,
    settings: SettingsDep,
    reader: ReaderDep,
    actor: ActorDep,
    whole: Annotated[bool, Query(alias="all")] = False,
    queue: bool = False,
) -> HTMLResponse:
    """all: show a long mail whole. queue: the agent works through the review queue, and the next one follows."""
    email = queries.email_by_id(session, email_id=email_id) if "\0" not in email_id else None
    if email is None:
        return page(request, "missing.html", {"what": "mail"}, status=404)
    label, spans = standing(email)
    waiting = review_queries.review_by_id(session, email_id=email.id)
    held = waiting is not None and is_held(waiting, datetime.now(UTC))
    stop = None if whole else SHOWN_CHARACTERS
    start = body_start(email)
    context = {
        "email": email,
        "answer": email_answer(email, previous_mails(session, emails=[email]).get(email.id, ())),
        "spans": spans,
        "model_spans": bare_spans(email.prediction.spans),
        "label": label,
        "phrases": {} if in_doubt(email) else _phrases(email.text, spans),
        "in_doubt": in_doubt(email),
        "judged": state(email) == "corrected" and judged_spans(email.feedback[-1], email.prediction),
        "state": state(email),
        "actor": actor,
        "queue": queue,
        "count": review_queries.count_reviews(session),
        "waits": waiting is not None,
        "holder": waiting.claimed_by if waiting is not None and held else None,
        "held_until": waiting.claimed_until if waiting is not None and held else None,
        "shown": marked(email.text, spans, start, None if stop is None else min(len(email.text), start + stop)),
        "start": start,
        "shown_characters": stop,
        "left_out": 0 if stop is None else max(0, len(email.text) - start - stop),
        "cut": [_cut_part(part, stop) for part in email.cut or ()],
        "check": _check_words(email, reader.classifier),
        "step": next_step(label, read_next_steps(settings.next_steps)),
        "labels": LABELS,
        "roles": ROLE_WORDS,
    }
    return page(request, "mail.html", context)


@router.get("/mails/{email_id}/why", response_class=HTMLResponse)
def why(request: Request, email_id: str, session: SessionDep, reader: ReaderDep) -> HTMLResponse:
    """The words that moved the label most; read anew for this request, which takes about a second."""
    email = queries.email_by_id(session, email_id=email_id) if "\0" not in email_id else None
    if email is None:
        return page(request, "missing.html", {"what": "mail"}, status=404)
    session.expunge_all()  # nothing is written, and reading must not hold the database
    label = email.prediction.label
    found = occlude(reader.classifier, email.text, label, start=body_start(email))
    top = max((abs(entry.drop) for entry in found), default=0.0)
    shown = [entry for entry in islice(found, SHOWN_INFLUENCES) if abs(entry.drop) > 0.0005]
    context = {"email": email, "label": label, "influences": shown, "top": top, "most_words": MAX_WORDS}
    piece = request.headers.get("x-piece") == "yes"  # asked by the mail's page; else a page of its own
    return page(request, "why.html" if piece else "why_page.html", context)


def _phrases(text: str, spans: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The first words of each role that stands, for a case of the shop's own suite."""
    return {span["role"]: text[span["start"] : span["end"]] for span in reversed(spans)}


def _cut_part(part: dict[str, Any], stop: int | None) -> dict[str, Any]:
    text = str(part["text"])
    return {
        "kind": CUT_WORDS.get(part["kind"], str(part["kind"]).replace("_", " ")),
        "text": text if stop is None else text[:stop],
        "left_out": 0 if stop is None else max(0, len(text) - stop),
    }


def _check_words(email: Email, classifier: Classifier) -> str | None:
    """The order check in a sentence, or None where the mail has not both a refund and a keep phrase."""
    check = email.prediction.order_check
    if check is None:
        return None
    swapped = str(check["swapped_text"])
    again = ""
    if len(swapped) <= CHECKED_CHARACTERS and classifier.version == email.prediction.model_version:
        read = classifier.predict([swapped])[0]
        again = f" {words(read.label)} {percent(read.confidence)},"
    if check["passed"]:
        return f"Read with the two phrases exchanged:{again} and the refund went to the other words too, as it should."
    return f"Read with the two phrases exchanged:{again} but the refund did not follow. Look which is to be refunded."
