"""The shop's own cases as they go over the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from service.schemas.emails import Line, Metadata, Wire

Severity = Literal["critical", "major", "minor"]


class CaseIn(Wire):
    """A stored mail that was misread, and what it should have been read as."""

    email_id: Line
    label: Line = Field(examples=["refund_fee"], description="the right label")
    refund: Annotated[Line, Field(min_length=1)] | None = Field(
        default=None,
        description="the words to be refunded; what the model marked by default, where no correction put that in doubt",
    )
    keep: Annotated[Line, Field(min_length=1)] | None = Field(
        default=None, description="the words not to be refunded; likewise"
    )
    names: list[Line] = Field(
        default_factory=list,
        max_length=100,
        description="names in the mail to be replaced beside sender's and recipients'",
    )
    severity: Severity = "major"


class AdoptIn(Wire):
    """How a run's case is to stand in the shop's own suite."""

    names: list[Line] = Field(default_factory=list, max_length=100, description="names in its mails to be replaced")
    severity: Severity | None = Field(default=None, description="as in the suite that it comes from, by default")


class CaseChange(Wire):
    """The case anew, as it stands in a suite's YAML; its id stays."""

    case: Metadata = Field(examples=[{"kind": "minimum", "text": "Refund the fee.", "label": "refund_fee"}])


class CaseOut(Wire):
    id: str
    revision: int
    email_id: str | None
    case: dict[str, Any]
    retired: bool
    actor: str
    created_at: datetime


class CasePage(Wire):
    data: list[CaseOut]
    next_cursor: str | None
