"""Erasure: one mail, or all of an address."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter

from service import erasure
from service.dependencies import ActorDep, SessionsDep
from service.queries.emails import email_by_id
from service.routers.emails import MISSING, PROBLEMS, found, known_id
from service.schemas.erasures import ErasureIn, ErasureOut

router = APIRouter(tags=["privacy"])
SHOWN = 100


@router.delete("/v1/emails/{email_id}", status_code=HTTPStatus.NO_CONTENT, responses={**MISSING, 503: PROBLEMS[503]})
def delete_email(email_id: str, sessions: SessionsDep, actor: ActorDep) -> None:
    """Erase a mail's text, addresses, spans and all else that tells of the customer, and the cases of the shop's own
    suite that were made of it; its counts stay."""
    with sessions() as session:
        found(email_by_id(session, email_id=known_id(email_id)))
    erasure.erase(sessions, [email_id], actor=actor, why="id")


@router.post("/v1/erasures", responses={code: PROBLEMS[code] for code in (400, 422, 503)})
def post_erasure(wanted: ErasureIn, sessions: SessionsDep, actor: ActorDep) -> ErasureOut:
    """Erase all mails from or to an address, in any case of letters, and the cases of the shop's own suite that were
    made of them; with `dry_run` only say which these are."""
    ids = erasure.ids_of_address(sessions, wanted.address)
    case_ids = erasure.cases_of(sessions, ids, address=wanted.address)
    count, case_count = len(ids), len(case_ids)
    if not wanted.dry_run:
        count, case_count = erasure.erase(sessions, ids, case_ids=case_ids, actor=actor, why="address")
    return ErasureOut(
        address=wanted.address,
        dry_run=wanted.dry_run,
        count=count,
        email_ids=ids[:SHOWN],
        case_count=case_count,
        case_ids=case_ids[:SHOWN],
    )
