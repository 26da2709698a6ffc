"""The order of the review queue.

A mail is due at the time it came plus `patience` × margin, and the earliest due comes first. The margin is the
difference between the two best probabilities; where the order check failed it is 0, for then the model contradicted
itself. So at the same age the most doubtful mail is first, and no mail starves: what comes more than `patience` after
it is due after it, whatever its margin.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from service.errors import Conflict
from service.tables import Review, StoredPrediction


def margin(prediction: StoredPrediction) -> float:
    """From 0, in doubt, to 1, sure."""
    if prediction.order_check is not None and not prediction.order_check["passed"]:
        return 0.0
    best, *others = sorted(prediction.probabilities.values(), reverse=True)
    return best - others[0] if others else best


def due_at(prediction: StoredPrediction, *, patience_seconds: float) -> datetime:
    return prediction.created_at + timedelta(seconds=patience_seconds * margin(prediction))


def is_held(review: Review, now: datetime) -> bool:
    return review.claimed_until is not None and review.claimed_until > now


def refuse_if_held(review: Review, actor: str, now: datetime) -> None:
    """Raises Conflict with who has the mail and until when, where another has it."""
    if review.claimed_until is not None and is_held(review, now) and review.claimed_by != actor:
        until = review.claimed_until.isoformat()
        raise Conflict(
            f"{review.claimed_by} has this mail until {until}", claimed_by=review.claimed_by, claimed_until=until
        )
