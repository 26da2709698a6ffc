"""/v1/checks/cases: mails and cases that were misread, as cases of the shop's own suite."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from service.adopting import adopt_case
from service.dependencies import ActorDep, SessionDep
from service.errors import NotFound
from service.queries import shop_cases as queries
from service.routers.checks import CONFLICT, DOWN, Cursor, Limit
from service.routers.emails import MISSING
from service.schemas.shop_cases import AdoptIn, CaseChange, CaseIn, CaseOut, CasePage
from service.shop_suite import make_case, revise, to_yaml
from service.tables import ShopCase

router = APIRouter(prefix="/v1/checks", tags=["checks"])


def case_answer(row: ShopCase) -> CaseOut:
    return CaseOut(
        id=row.id,
        revision=row.revision,
        email_id=row.email_id,
        case=row.case,
        retired=row.retired,
        actor=row.actor,
        created_at=row.created_at,
    )


@router.post("/cases", status_code=HTTPStatus.CREATED, responses={**MISSING, **CONFLICT, **DOWN})
def post_case(body: CaseIn, session: SessionDep, actor: ActorDep) -> CaseOut:
    """Make a case of a stored mail: personal details replaced, its partner made by exchanging the two phrases."""
    return case_answer(make_case(session, **body.model_dump(), actor=actor))


@router.post(
    "/runs/{run_id}/cases/{number}/adopt",
    status_code=HTTPStatus.CREATED,
    responses={**MISSING, **CONFLICT, **DOWN},
)
def post_adopt(
    run_id: str,
    number: Annotated[int, Path(ge=0, le=2**31 - 1)],
    session: SessionDep,
    actor: ActorDep,
    body: AdoptIn | None = None,
) -> CaseOut:
    """Add a case of a run to the shop's own suite: personal details replaced; a single mail gets a partner where the
    model marked two phrases to exchange."""
    if "\0" in run_id:
        raise NotFound("no run has this id")
    asked = body or AdoptIn()
    return case_answer(adopt_case(session, run_id=run_id, number=number, **asked.model_dump(), actor=actor))


@router.get(
    "/cases",
    responses={200: {"content": {"application/yaml": {"schema": {"type": "object"}}}}, **DOWN},
    response_model=CasePage,
)
def get_cases(
    session: SessionDep,
    retired: Annotated[bool | None, Query(description="only those retired, or only those that are not")] = None,
    format: Annotated[Literal["json", "yaml"], Query(description="yaml: all standing cases, as a suite file")] = "json",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> CasePage | Response:
    """The shop's cases, newest first, each in its newest revision."""
    if format == "yaml":
        return Response(to_yaml(queries.standing_cases(session)), media_type="application/yaml")
    found = queries.list_cases(session, limit=limit + 1, before_id=cursor, retired=retired)
    page = [case_answer(row) for row in found[:limit]]
    return CasePage(data=page, next_cursor=page[-1].id if len(found) > limit else None)


@router.put("/cases/{case_id}", responses={**MISSING, **CONFLICT, **DOWN})
def put_case(case_id: str, body: CaseChange, session: SessionDep, actor: ActorDep) -> CaseOut:
    """Word a case anew; it counts again where it was retired. The wordings before stay in the database."""
    return case_answer(revise(session, case_id=case_id, case=body.case, retired=False, actor=actor))


@router.post("/cases/{case_id}/retire", responses={**MISSING, **CONFLICT, **DOWN})
def post_retire(case_id: str, session: SessionDep, actor: ActorDep) -> CaseOut:
    """Run a case no more. It is kept."""
    return case_answer(revise(session, case_id=case_id, case=None, retired=True, actor=actor))
