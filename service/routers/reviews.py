"""/v1/review: the mails that wait for a person, and who has which."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from service.answers import review_answer
from service.dependencies import ActorDep, SessionDep, SettingsDep
from service.errors import InvalidRequest, NotFound
from service.queries import reviews as queries
from service.review import refuse_if_held
from service.routers.emails import CONFLICT, MISSING, PROBLEMS, known_id
from service.schemas.reviews import ReviewOut, ReviewPage
from service.tables import Review

router = APIRouter(prefix="/v1/review", tags=["review"])
DOWN: dict[int | str, dict[str, Any]] = {503: PROBLEMS[503]}
CURSOR = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}_[0-9a-f-]{36}$"


@router.get("", responses={422: PROBLEMS[422], **DOWN})
def get_reviews(
    session: SessionDep,
    actor: ActorDep,
    mine: bool = False,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(pattern=CURSOR, description="next_cursor of the page before")] = None,
) -> ReviewPage:
    """The queue, first in line first; with `mine` only what you have claimed."""
    now = datetime.now(UTC)
    after = _position(cursor) if cursor is not None else None
    rows = queries.list_reviews(session, limit=limit + 1, after=after, actor=actor if mine else None)
    return ReviewPage(
        data=[review_answer(row, now) for row in rows[:limit]],
        next_cursor=_cursor(rows[limit - 1]) if len(rows) > limit else None,
        count=queries.count_reviews(session),
        unclaimed=queries.count_free_reviews(session, now=now),
    )


@router.post("/next", responses={204: {"description": "nobody waits, or others have them all"}, **DOWN})
def post_next(
    session: SessionDep,
    actor: ActorDep,
    settings: SettingsDep,
    put_back: Annotated[
        bool, Query(description="put back what you hold, and claim the first behind it, else the first in line")
    ] = False,
) -> ReviewOut:
    """Claim the first mail in line that nobody has. What you hold already is held for as long again.

    With `put_back`, what you hold is others' to take once the next is yours; where there is no next, you keep it.
    """
    now = datetime.now(UTC)
    until = now + timedelta(seconds=settings.claim_seconds)
    review = queries.claim_next(session, actor=actor, now=now, until=until, put_back=put_back)
    queries.extend_claims(session, actor=actor, now=now, until=until)
    if review is None:
        return Response(status_code=HTTPStatus.NO_CONTENT)  # type: ignore[return-value]
    return review_answer(review, now)


@router.post("/{email_id}/claim", responses={**MISSING, **CONFLICT, **DOWN})
def post_claim(email_id: str, session: SessionDep, actor: ActorDep, settings: SettingsDep) -> ReviewOut:
    """Claim this mail, or hold it for as long again. 409 says who has it, and until when."""
    now = datetime.now(UTC)
    until = now + timedelta(seconds=settings.claim_seconds)
    review = _waiting(queries.lock_review(session, email_id=known_id(email_id)))
    refuse_if_held(review, actor, now)
    review.claimed_by, review.claimed_until = actor, until
    session.flush()
    queries.extend_claims(session, actor=actor, now=now, until=until)
    return review_answer(review, now)


@router.post("/{email_id}/release", status_code=HTTPStatus.NO_CONTENT, responses={**MISSING, **CONFLICT, **DOWN})
def post_release(email_id: str, session: SessionDep, actor: ActorDep) -> None:
    """Put a mail back that you have claimed."""
    review = _waiting(queries.lock_review(session, email_id=known_id(email_id)))
    refuse_if_held(review, actor, datetime.now(UTC))
    review.claimed_by = review.claimed_until = None


def _waiting(review: Review | None) -> Review:
    if review is None:
        raise NotFound("no mail with this id waits for review")
    return review


def _cursor(review: Review) -> str:
    return f"{review.due_at.replace(tzinfo=None).isoformat(timespec='microseconds')}_{review.email_id}"


def _position(cursor: str) -> tuple[datetime, str]:
    moment, _, email_id = cursor.partition("_")
    try:
        return datetime.fromisoformat(moment).replace(tzinfo=UTC), email_id
    except ValueError:
        raise InvalidRequest(f"cursor: {moment!r} is no moment") from None
