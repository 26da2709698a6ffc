"""The review queue over the wire."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.schemas.emails import EmailOut
from service.schemas.wire import Wire


class ReviewOut(Wire):
    """A mail that waits for a person."""

    email: EmailOut
    margin: float = Field(description="between the two best probabilities; 0 where the order check failed")
    due_at: datetime = Field(description="the earliest is first in the queue")
    claimed_by: str | None
    claimed_until: datetime | None


class ReviewPage(Wire):
    data: list[ReviewOut]
    next_cursor: str | None
    count: int = Field(description="mails that wait, on all pages")
    unclaimed: int = Field(description="those of them that no agent has")
