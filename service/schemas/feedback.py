"""What agents say of predictions, over the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from service.schemas.wire import Line, Wire, storable

Role = Literal["refund", "keep", "replace"]
Verdict = Literal["accepted", "corrected", "withdrawn"]
State = Literal["open", "accepted", "corrected"]

MAX_SPANS = 200


class MarkedSpan(Wire):
    """Words that an agent marked; start and end are character offsets into the text that was read."""

    role: Role
    start: int = Field(ge=0)
    end: int = Field(ge=1)


class FeedbackIn(Wire):
    """A verdict on a mail's label and spans. What is left out is as the model said."""

    verdict: Verdict = Field(
        description="withdrawn takes back the verdict that stands, and the mail is open again", examples=["corrected"]
    )
    label: Line | None = Field(default=None, examples=["refund_fee"])
    spans: list[MarkedSpan] | None = Field(
        default=None,
        max_length=MAX_SPANS,
        description="the right ones, also where they are the model's; left out, they are judged only where accepted",
    )
    reason: Annotated[str, Field(max_length=2_000), AfterValidator(storable)] | None = Field(
        default=None, description="why; of a mail whose text is erased, or was never stored, it is not kept"
    )
    force: bool = Field(default=False, description="also where another agent has claimed the mail")


class FeedbackOut(Wire):
    """One verdict of the history; the last one stands."""

    number: int
    verdict: Verdict
    label: str
    spans: list[MarkedSpan]
    spans_judged: bool = Field(
        description="false where only the label was corrected: the spans are then the model's, and nobody's to rely on"
    )
    reason: str | None
    actor: str
    created_at: datetime
