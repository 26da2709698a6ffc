"""/v1/emails: mails in, with their predictions out."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import AwareDatetime
from starlette.datastructures import Headers

from model.reasons import Reason
from service.answers import email_answer, stored_answer
from service.dependencies import BatcherDep, OwnAddressesDep, SessionDep
from service.errors import InvalidRequest, NotFound, UnsupportedMedia
from service.identity import bare_address
from service.intake.automatic import is_own
from service.intake.compose import Intake, compose
from service.intake.deadline import within
from service.queries import conversations
from service.queries import emails as queries
from service.reading import Job
from service.schemas.emails import Decision, EmailIn, EmailOut, EmailPage, Problem
from service.schemas.feedback import State
from service.schemas.wire import Line
from service.search_words import parse_search
from service.tables import Email

router = APIRouter(prefix="/v1/emails", tags=["emails"])
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "content": {"application/problem+json": {}}} for status in (400, 413, 415, 422, 429, 503)
}
MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "content": {"application/problem+json": {}}}}
CONFLICT: dict[int | str, dict[str, Any]] = {409: {"model": Problem, "content": {"application/problem+json": {}}}}
Id = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


SEARCH = (
    'words that all occur in the text that was read; `"some words"` side by side, `-word` not at all, `word*` for a'
    " beginning; accents and capitals make no difference"
)
RAW_MAIL = "message/rfc822"
SHORT_CHARACTERS = 1_000
RAW_BODY = {"requestBody": {"content": {RAW_MAIL: {"schema": {"type": "string", "format": "binary"}}}}}


def media_type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


async def only_json(request: Request) -> None:
    found = media_type(request.headers)
    if found != "application/json" and not (found.startswith("application/") and found.endswith("+json")):
        raise UnsupportedMedia(f"content type {found[:100]!r} is neither application/json nor {RAW_MAIL}")


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses={200: {"model": EmailOut}, **PROBLEMS},
    dependencies=[Depends(only_json)],
    openapi_extra=RAW_BODY,
)
async def post_email(
    mail: EmailIn, batcher: BatcherDep, own_addresses: OwnAddressesDep, response: Response
) -> EmailOut:
    """Label a mail and store it with its prediction.

    The same mail again gets the first answer, with 200: the same message_id with the same sender, recipients and words;
    or, without a message_id, the same sender, recipients and words within ten minutes, which `duplicate` tells. A
    message_id that comes with other words is another mail, and is stored as one.
    """
    job = read_json(mail, own_addresses) if _is_short(mail) else await asyncio.to_thread(read_json, mail, own_addresses)
    stored = await batcher.submit(job)
    if not stored.created:
        response.status_code = HTTPStatus.OK
    return stored_answer(stored)


def _is_short(mail: EmailIn) -> bool:
    """Whether a thread for it would cost more than it takes: most mails are read in a tenth of a millisecond."""
    return mail.html is None and len(mail.text or "") <= SHORT_CHARACTERS


def read_json(mail: EmailIn, own_addresses: Collection[str]) -> Job:
    """Raises InvalidRequest for a mail without anything to read, LimitError for one over a limit."""
    if mail.subject is None and mail.text is None and mail.html is None:
        raise InvalidRequest("body: at least one of subject, text and html is needed")
    intake = _composed(mail)
    automatic = mail.sender is not None and is_own(mail.sender, own_addresses)
    return Job(replace(intake, automatic=automatic), mail)


@router.get("", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})
def get_emails(
    session: SessionDep,
    label: Line | None = None,
    decision: Decision | None = None,
    state: State | None = None,
    reason: Reason | None = None,
    sender: Annotated[Line | None, Query(description="the bare address, or a From as it stands in a mail")] = None,
    conversation: Annotated[str | None, Query(pattern=Id, description="`conversation.id` of a mail")] = None,
    q: Annotated[Line | None, Query(max_length=200, description=SEARCH)] = None,
    created_from: AwareDatetime | None = None,
    created_until: AwareDatetime | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(pattern=Id, description="next_cursor of the page before")] = None,
) -> EmailPage:
    """Stored mails, newest first."""
    emails = queries.list_emails(
        session,
        limit=limit + 1,
        before_id=cursor,
        label=label,
        decision=decision,
        state=state,
        reason=reason,
        sender=(bare_address(sender) or "") if sender is not None else None,
        conversation=conversation,
        search=parse_search(q) if q is not None else None,
        created_from=_bounded(created_from),
        created_until=_bounded(created_until),
    )
    before = conversations.previous_mails(session, emails=emails[:limit])
    page = [email_answer(email, before.get(email.id, ())) for email in emails[:limit]]
    return EmailPage(data=page, next_cursor=page[-1].id if len(emails) > limit else None)


@router.get("/{email_id}", responses={**MISSING, 503: PROBLEMS[503]})
def get_email(email_id: str, session: SessionDep) -> EmailOut:
    """One mail with everything known of it."""
    email = found(queries.email_by_id(session, email_id=known_id(email_id)))
    return email_answer(email, conversations.previous_mails(session, emails=[email]).get(email.id, ()))


def known_id(email_id: str) -> str:
    """Raises NotFound for what cannot be an id."""
    if "\0" in email_id:
        raise NotFound("no mail has this id")
    return email_id


def found(email: Email | None) -> Email:
    if email is None:
        raise NotFound("no mail has this id")
    return email


def _composed(mail: EmailIn) -> Intake:
    """What is read of a mail. Raises LimitError where that takes too long."""
    with within():
        return compose(subject=mail.subject, text=mail.text, html=mail.html, cut=mail.cut)


def _bounded(moment: datetime | None) -> datetime | None:
    """A moment that every database can compare with."""
    if moment is not None and not 1970 <= moment.year <= 2200:
        raise InvalidRequest(f"the year {moment.year} is not from 1970 to 2200")
    return moment
