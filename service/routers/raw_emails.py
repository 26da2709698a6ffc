"""POST /v1/emails with a mail as a mail server has it: message/rfc822, beside the JSON that emails.py takes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from datetime import UTC
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from service.answers import stored_answer
from service.conversations import MENTIONS, sizable
from service.dependencies import BatcherDep, OwnAddressesDep
from service.errors import InvalidRequest
from service.intake.compose import compose_mail
from service.intake.deadline import within
from service.intake.mime import ParsedMail, parse_mail
from service.reading import Job
from service.routers.emails import RAW_MAIL, media_type
from service.schemas.emails import EmailIn, EmailOut
from service.schemas.wire import UNSTORABLE


class RawMailRoute(APIRoute):
    """A route for raw mails only; the route with the same path for JSON takes everything else."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or media_type(Headers(scope=scope)) != RAW_MAIL:
            return Match.NONE, {}
        return super().matches(scope)


router = APIRouter(prefix="/v1/emails", route_class=RawMailRoute, include_in_schema=False)  # emails.py documents it


@router.post("", status_code=HTTPStatus.CREATED)
async def post_raw_email(
    request: Request, batcher: BatcherDep, own_addresses: OwnAddressesDep, response: Response
) -> EmailOut:
    """Label a raw mail and store it. Raises LimitError for one over a limit, InvalidRequest for an empty body."""
    raw = await request.body()
    if not raw.strip():
        raise InvalidRequest("body: holds no mail")
    stored = await batcher.submit(await asyncio.to_thread(read_raw, raw, own_addresses))
    if not stored.created:
        response.status_code = HTTPStatus.OK
    return stored_answer(stored)


def read_raw(raw: bytes, own_addresses: Collection[str]) -> Job:
    """A raw mail with the fields that are stored of it. Raises LimitError."""
    with within():
        mail = parse_mail(raw, own_addresses=own_addresses)
        return Job(compose_mail(mail), _fields(mail))


def _fields(mail: ParsedMail) -> EmailIn:
    return EmailIn(
        message_id=_storable(mail.message_id),
        in_reply_to=next(iter(_ids([mail.in_reply_to or ""])), None),
        references=_ids(mail.references)[:1] + _ids(mail.references)[1:][-MENTIONS:],
        sender=_storable(mail.sender),
        to=[UNSTORABLE.sub("", recipient) for recipient in mail.recipients],
        subject=_storable(mail.subject),
        received_at=mail.received_at.astimezone(UTC) if mail.received_at is not None else None,
    )


def _ids(found: Iterable[str]) -> list[str]:
    """Message ids of other mails, without those that no index can hold."""
    return list(sizable(UNSTORABLE.sub("", value) for value in found))


def _storable(value: str | None) -> str | None:
    """A header's value without what no column can hold; None where nothing is left."""
    return UNSTORABLE.sub("", value) or None if value is not None else None
