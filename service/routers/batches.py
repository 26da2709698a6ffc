"""/v1/emails/batch: many mails in one request, each with an outcome of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse

from service.answers import stored_answer
from service.batching import Batcher
from service.dependencies import BatcherDep, OwnAddressesDep
from service.errors import problem_of
from service.metrics import INBOUND
from service.metrics.http import inbound_result
from service.reading import Job, Stored
from service.routers.emails import PROBLEMS, only_json, read_json
from service.schemas.emails import EmailBatchIn, EmailIn, EmailOutcome, EmailOutcomes, Problem

router = APIRouter(prefix="/v1/emails/batch", tags=["emails"])
TRY_LATER = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


@router.post(
    "",
    status_code=HTTPStatus.MULTI_STATUS,
    responses=PROBLEMS,
    response_model=EmailOutcomes,
    dependencies=[Depends(only_json)],
)
async def post_batch(
    body: EmailBatchIn, batcher: BatcherDep, own_addresses: OwnAddressesDep
) -> EmailOutcomes | JSONResponse:
    """Label and store up to 256 mails; each has an outcome of its own, in order, with the status that it would have had
    alone. A bad mail does no harm to the others.

    Where the queue has room for some of the mails only, the others' outcomes are 429: send those again. Where it has
    room for none the whole request is 429 with Retry-After; where the database answers for none it is 503.
    """
    jobs = await asyncio.to_thread(_read, body.emails, own_addresses)
    outcomes = await asyncio.gather(*(_outcome(batcher, job) for job in jobs))
    for found in outcomes:
        INBOUND.labels("batch", inbound_result("batch", _status(found))).inc()
    refusals = [found for found in outcomes if isinstance(found, JSONResponse) and found.status_code in TRY_LATER]
    if len(refusals) == len(outcomes) and len({refusal.status_code for refusal in refusals}) == 1:
        return refusals[0]
    return EmailOutcomes(data=[_written(found) for found in outcomes])


def _read(mails: list[Any], own_addresses: Collection[str]) -> list[Job | Exception]:
    """Each mail as a job, or what is wrong with it."""
    jobs: list[Job | Exception] = []
    for mail in mails:
        try:
            jobs.append(read_json(EmailIn.model_validate(mail), own_addresses))
        except Exception as error:  # the caller is told of it in the mail's outcome
            jobs.append(error)
    return jobs


async def _outcome(batcher: Batcher[Job, Stored], job: Job | Exception) -> Stored | JSONResponse:
    if isinstance(job, Exception):
        return problem_of(job)
    try:
        return await batcher.submit(job)
    except Exception as error:  # likewise
        return problem_of(error)


def _written(outcome: Stored | JSONResponse) -> EmailOutcome:
    if isinstance(outcome, JSONResponse):
        return EmailOutcome(status=outcome.status_code, problem=Problem(**json.loads(bytes(outcome.body))))
    return EmailOutcome(status=_status(outcome), email=stored_answer(outcome))


def _status(outcome: Stored | JSONResponse) -> int:
    if isinstance(outcome, JSONResponse):
        return outcome.status_code
    return HTTPStatus.CREATED if outcome.created else HTTPStatus.OK
