"""What goes over the wire."""

from __future__ import annotations

from datetime import datetime
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field

from service.intake.compose import Source
from service.intake.cut import CutKind
from service.schemas.feedback import FeedbackOut, MarkedSpan, State
from service.schemas.wire import Line as Line
from service.schemas.wire import Text as Text
from service.schemas.wire import Wire as Wire
from service.schemas.wire import storable

MAX_ID_BYTES = 998  # RFC 5322's longest line; also what a PostgreSQL index can hold
MAX_METADATA_DEPTH = 32


def _id_sized(value: str) -> str:
    if (size := len(value.encode())) > MAX_ID_BYTES:
        raise ValueError(f"{size} bytes are more than the {MAX_ID_BYTES} of a line of mail")
    return value


def _check_json(value: Any, depth: int) -> None:
    """Refuse what no database column can hold in any word, NaN and infinity, and nesting past the limit."""
    if depth > MAX_METADATA_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_METADATA_DEPTH} levels")
    if isinstance(value, str):
        storable(value)
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    elif isinstance(value, dict):
        for key, entry in value.items():
            storable(key)
            _check_json(entry, depth + 1)
    elif isinstance(value, list):
        for entry in value:
            _check_json(entry, depth + 1)


def _storable_json(value: dict[str, Any]) -> dict[str, Any]:
    _check_json(value, 0)
    return value


def _in_our_time(moment: datetime) -> datetime:
    if not 1970 <= moment.year <= 2200:
        raise ValueError(f"the year {moment.year} is not from 1970 to 2200")
    return moment


MessageId = Annotated[Line, Field(min_length=1), AfterValidator(_id_sized)]
Metadata = Annotated[dict[str, Any], AfterValidator(_storable_json)]


class EmailIn(Wire):
    """A mail. At least one of subject, text and html."""

    message_id: MessageId | None = Field(default=None, examples=["<a1@shop.example>"])
    in_reply_to: MessageId | None = Field(default=None, description="the message that this one answers")
    references: list[MessageId] = Field(
        default_factory=list, max_length=1_000, description="the thread's message ids, its first one first"
    )
    sender: Line | None = Field(default=None, alias="from", examples=["mina@example.org"])
    to: list[Line] = Field(default_factory=list, max_length=1_000, examples=[["help@shop.example"]])
    subject: Line | None = Field(default=None, examples=["Order 5513"])
    text: Text | None = Field(default=None, examples=["Refund the delivery fee, not the cake."])
    html: Text | None = None
    cut: bool = Field(default=True, description="part quotes, signatures and footers from the customer's own words")
    received_at: Annotated[AwareDatetime, AfterValidator(_in_our_time)] | None = None
    metadata: Metadata = Field(default_factory=dict)


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


class CutPartOut(Wire):
    """A piece of the mail that is not the customer's own words, and was not read."""

    kind: CutKind
    text: str


class AttachmentOut(Wire):
    """A file that came with a mail; named, never opened."""

    filename: str | None
    content_type: str
    size_bytes: int


class PreviousMail(Wire):
    """An earlier mail of a conversation."""

    id: str
    label: str
    decision: Decision
    created_at: datetime


class ConversationOut(Wire):
    """The thread of a mail, by its threading headers."""

    id: str
    previous: list[PreviousMail] = Field(description="at most ten mails before this one, newest first")


class EmailOut(Answer):
    """A stored mail with its prediction."""

    message_id: str | None
    sender: str | None = Field(serialization_alias="from")
    to: list[str]
    subject: str | None
    received_at: datetime | None
    metadata: dict[str, Any]
    source: Source | None = Field(description="where the words that were read stood; null where there were none")
    cut: list[CutPartOut] | None = Field(description="null in mails stored before this was kept")
    context: str | None = Field(description="words of another that the mail answers; not read")
    attachments: list[AttachmentOut] | None = Field(description="null for a mail that came as JSON")
    conversation: ConversationOut | None = Field(description="null in mails stored before this was kept")
    duplicate: Literal["content"] | None = Field(
        default=None,
        description="`content` in the answer to a mail without a message_id that says what its sender had just sent:"
        " it is the answer to that one",
    )
    erased_at: datetime | None = Field(description="since then nothing but numbers is kept")
    state: State = Field(description="open until an agent accepts or corrects the prediction")
    standing_label: str = Field(description="the agents' label where one was given, else the model's")
    standing_spans: list[MarkedSpan] = Field(description="the agents' spans where some were given, else the model's")
    feedback: list[FeedbackOut] = Field(description="every verdict, the first one first")


class EmailPage(Wire):
    data: list[EmailOut]
    next_cursor: str | None


class Problem(Wire):
    """RFC 9457 problem details; some problems have more members, `errors` and `limit` among them."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    detail: str


class EmailBatchIn(Wire):
    """Up to 256 mails; each is checked by itself."""

    emails: list[Any] = Field(
        min_length=1, max_length=256, json_schema_extra={"items": {"$ref": "#/components/schemas/EmailIn"}}
    )


class EmailOutcome(Wire):
    """What became of one mail: its answer with 201 or 200, or the problem with its status."""

    status: int
    email: EmailOut | None = None
    problem: Problem | None = None


class EmailOutcomes(Wire):
    data: list[EmailOutcome] = Field(description="one for each mail, in the order in which they came")


class LabelOut(Wire):
    name: str
    description: str
    money_back: bool
    auto_threshold: float = Field(description="least confidence for auto, as it stands: settings over the model's card")
    always_review: bool = Field(description="a person looks at it whatever the confidence")


class LabelPage(Wire):
    data: list[LabelOut]
    next_cursor: str | None = None


class Health(Wire):
    status: Literal["ok"] = "ok"


class Ready(Wire):
    status: Literal["ready"] = "ready"
    model_version: str
    migration: str
    model_problem: str | None = Field(description="why the model that was promoted does not serve")
