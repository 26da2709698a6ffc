"""/v1/explain: one short text with its attention, its words in any order, positions on or off."""

from __future__ import annotations

from fastapi import APIRouter

from service.dependencies import ReaderDep
from service.explaining import explain
from service.routers.emails import PROBLEMS
from service.schemas.explain import ExplainIn, ExplainOut

router = APIRouter(prefix="/v1/explain", tags=["explain"])


@router.post("", responses={status: PROBLEMS[status] for status in (400, 413, 422)})
def post_explain(body: ExplainIn, reader: ReaderDep) -> ExplainOut:
    """Read a text as written and as arranged, and show where every attention head looks. Nothing is stored."""
    return explain(reader.classifier, body)
