"""What goes over the wire."""

from __future__ import annotations

from datetime import datetime
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

MAX_TEXT_CHARACTERS = 5_000_000


def _storable(value: str) -> str:
    """Refuse what no database column can hold: NUL and lone surrogates."""
    for position, character in enumerate(value):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            name = "a NUL" if character == "\0" else "a lone surrogate"
            raise ValueError(f"{name} at character {position} is not text")
    return value


Text = Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS), AfterValidator(_storable)]
Line = Annotated[str, Field(max_length=998), AfterValidator(_storable)]  # RFC 5322's longest line


def _storable_json(value: Any) -> Any:
    """The same for every word inside a JSON value; and no NaN or infinity, which JSON does not know."""
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    if isinstance(value, dict):
        return {_storable(key): _storable_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_storable_json(entry) for entry in value]
    return value


def _in_our_time(moment: datetime) -> datetime:
    if not 1970 <= moment.year <= 2200:
        raise ValueError(f"the year {moment.year} is not from 1970 to 2200")
    return moment


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True, protected_namespaces=())


class EmailIn(Wire):
    """A mail. At least one of subject, text and html."""

    message_id: Annotated[Line, Field(min_length=1)] | None = Field(default=None, examples=["<a1@shop.example>"])
    sender: Line | None = Field(default=None, alias="from", examples=["mina@example.org"])
    to: list[Line] = Field(default_factory=list, max_length=1_000, examples=[["help@shop.example"]])
    subject: Line | None = Field(default=None, examples=["Order 5513"])
    text: Text | None = Field(default=None, examples=["Refund the delivery fee, not the cake."])
    html: Text | None = None
    received_at: Annotated[AwareDatetime, AfterValidator(_in_our_time)] | None = None
    metadata: Annotated[dict[str, Any], AfterValidator(_storable_json)] = Field(default_factory=dict)


class ClassifyIn(Wire):
    """One text to be read; the text is not stored."""

    text: Annotated[Text, Field(min_length=1)] = Field(examples=["Refund the cake, not the delivery fee."])


class LabelProbability(Wire):
    label: str
    probability: float


class SpanOut(Wire):
    """Marked words; start and end are character offsets into the answer's text."""

    role: Literal["refund", "keep", "replace"]
    text: str
    start: int
    end: int
    confidence: float


class OrderCheckOut(Wire):
    """The mail read again with its refund and keep phrases exchanged."""

    swapped_text: str
    passed: bool


Decision = Literal["auto", "review"]


class Answer(Wire):
    """What the model said of a text, and what was decided on it."""

    id: str
    label: str
    confidence: float
    decision: Decision
    reasons: list[str]
    probabilities: list[LabelProbability]
    spans: list[SpanOut]
    order_check: OrderCheckOut | None
    text: str
    truncated: bool
    model_version: str
    created_at: datetime


class EmailOut(Answer):
    """A stored mail with its prediction."""

    message_id: str | None
    sender: str | None = Field(serialization_alias="from")
    to: list[str]
    subject: str | None
    received_at: datetime | None
    metadata: dict[str, Any]


class EmailPage(Wire):
    data: list[EmailOut]
    next_cursor: str | None


class LabelOut(Wire):
    name: str
    description: str
    money_back: bool
    auto_threshold: float


class LabelPage(Wire):
    data: list[LabelOut]
    next_cursor: str | None = None


class Health(Wire):
    status: Literal["ok"] = "ok"


class Ready(Wire):
    status: Literal["ready"] = "ready"
    model_version: str
    migration: str


class Problem(Wire):
    """RFC 9457 problem details."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
