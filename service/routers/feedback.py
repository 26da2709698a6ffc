"""/v1/emails/{id}/feedback: an agent accepts or corrects what the model said."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Response

from service.answers import email_answer
from service.dependencies import ActorDep, ReaderDep, SessionDep, SettingsDep
from service.feedback import take_verdict
from service.queries.feedback import lock_email
from service.routers.emails import CONFLICT, MISSING, PROBLEMS, found, known_id
from service.schemas.emails import EmailOut
from service.schemas.feedback import FeedbackIn

router = APIRouter(prefix="/v1/emails/{email_id}/feedback", tags=["feedback"])


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses={200: {"model": EmailOut}, **MISSING, **CONFLICT, **{code: PROBLEMS[code] for code in (400, 422, 503)}},
)
def post_feedback(
    email_id: str,
    given: FeedbackIn,
    session: SessionDep,
    reader: ReaderDep,
    settings: SettingsDep,
    actor: ActorDep,
    response: Response,
) -> EmailOut:
    """Accept or correct the label and the spans, or withdraw the verdict that stands. The prediction stays as it was.

    The verdict that stands already, given again by the same agent, is answered with 200 and stored once. A mail that
    another agent has claimed is 409 with `claimed_by` and `claimed_until`, unless `force` is true.
    """
    email = found(lock_email(session, email_id=known_id(email_id)))
    if not take_verdict(session, email, given, actor=actor, classes=reader.classifier.classes, settings=settings):
        response.status_code = HTTPStatus.OK
    return email_answer(email)
