"""/v1/classify: one text, of which only the prediction's numbers are stored."""

from __future__ import annotations

from fastapi import APIRouter

from service.answers import classify_answer
from service.dependencies import BatcherDep
from service.intake.compose import Intake
from service.reading import Job
from service.routers.emails import PROBLEMS
from service.schemas.emails import Answer, ClassifyIn

router = APIRouter(prefix="/v1/classify", tags=["classify"])


@router.post("", responses=PROBLEMS)
async def post_classify(body: ClassifyIn, batcher: BatcherDep) -> Answer:
    """Label a text. Nothing of it is stored but the prediction's numbers."""
    return classify_answer(await batcher.submit(Job(Intake(body.text))))
