"""What may stand in a suite's `cases`: one class a kind, as it is written and, once expanded, as it is run.

A field that is not named here is an error. Text is the mail as the model reads it; labels are the model's own.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from model.config import LABELS, MAX_TEXT_CHARACTERS

DEFAULT_MIN_ORDER_GAP = 0.5
MIN_FILLER_WORDS, MAX_FILLER_WORDS = 2, 300
MAX_ALONE_WORDS = 100  # of a text that is read beside one of MAX_FILLER_WORDS

Severity = Literal["critical", "major", "minor"]
Edit = Literal["greeting", "signature", "typo", "case", "name", "currency", "quoted_thread"]
Place = Literal["start", "middle", "end", "between", "both"]
Text = Annotated[str, StringConstraints(pattern=r"\S", max_length=MAX_TEXT_CHARACTERS)]  # not only blanks
Label = Literal[LABELS]  # type: ignore[valid-type]  # one list of labels, which is the model's
Role = Literal["refund", "keep", "replace"]  # the model's roles but none
FillerWords = Annotated[int, Field(ge=MIN_FILLER_WORDS, le=MAX_FILLER_WORDS)]
Ratio = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """Says no to unknown fields and to numbers written as text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Filler(Strict):
    """Neutral sentences that lengthen a mail: exactly `words` words, drawn by the suite's seed.

    Where the text has the mark `{filler}`, they stand there, shared out where it has several. Without a mark, the text
    stands at the start, in the middle or at the end of them. A list of words makes a case for each.
    """

    words: FillerWords | list[FillerWords]
    at: Place = "between"


class Fields(Strict):
    """What every case may carry."""

    id: Text = Field(description="Unique in its suite; runs are compared by it.")
    capability: str = Field(default="", description="What the case is about; the suite's by default.")
    group: str = Field(default="", description="Cases that are counted together, such as a construction.")
    trade: str = Field(default="", description="The line of business it comes from.")
    severity: Severity = Field(default="major", description="One failing `critical` case fails the run.")
    lang: str = Field(default="en", description="ISO 639-1 code of the mail's language.")
    template: bool = Field(default=False, description="Slots such as {fee} are filled from the suite's lexicons.")
    sample: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many of a template's combinations; the suite's number by default."
    )
    filler: Filler | None = None

    @model_validator(mode="after")
    def _sample_is_of_a_template(self) -> Fields:
        if self.sample is not None and not self.template:
            raise ValueError("field 'sample' is of templates only")
        return self


class Side(Strict):
    """One member of a swap pair."""

    text: Text
    label: Label


class SwapCase(Fields):
    """Two mails of much the same words whose labels the order decides: both must be right, and far apart."""

    kind: Literal["swap"]
    a: Side
    b: Side
    min_order_gap: Ratio = Field(
        default=DEFAULT_MIN_ORDER_GAP, description="Least difference of a's label's probability between the two."
    )

    @model_validator(mode="after")
    def _two_mails(self) -> SwapCase:
        if self.a.text == self.b.text:
            raise ValueError("fields 'a' and 'b' are the same mail, so no model can pass the case")
        return self

    def texts(self) -> tuple[str, ...]:
        return (self.a.text, self.b.text)


class Variant(Strict):
    """The same mail, told otherwise."""

    edit: Text = Field(description="What was changed, in a word.")
    text: Text


class InvarianceCase(Fields):
    """Edits that must not change the label: by rule (`edits`) or written by hand (`variants`)."""

    kind: Literal["invariance"]
    text: Text
    label: Label | None = Field(default=None, description="What it must be; without it, whatever the unedited mail is.")
    edits: list[Edit] = []
    variants: list[Variant] = []

    @model_validator(mode="after")
    def _changes_something(self) -> InvarianceCase:
        if not self.edits and not self.variants:
            raise ValueError("fields 'edits' and 'variants' are both empty")
        return self

    def texts(self) -> tuple[str, ...]:
        return (self.text, *(variant.text for variant in self.variants))


class MinimumCase(Fields):
    """One mail that must get its label, and its spans and decision where they are named."""

    kind: Literal["minimum"]
    text: Text
    label: Label
    spans: dict[Role, list[Text]] = Field(default={}, description="Role → the exact words that must be marked.")
    decision: Literal["auto", "review"] | None = None

    @model_validator(mode="after")
    def _spans_are_of_the_text(self) -> MinimumCase:
        words = [] if self.template else [word for spans in self.spans.values() for word in spans]
        if missing := next((word for word in words if word.casefold() not in self.text.casefold()), None):
            raise ValueError(f"field 'spans': the text does not hold {missing!r}")
        return self

    def texts(self) -> tuple[str, ...]:
        return (self.text,)


class DirectionalCase(Fields):
    """An addition or a change that must move a label's probability by at least so much, up or down."""

    kind: Literal["directional"]
    text: Text
    add: Text | None = Field(default=None, description="Words put behind the text.")
    changed: Text | None = Field(default=None, description="The whole mail after the change.")
    label: Label
    by: Annotated[float, Field(ge=-1, le=1)] = Field(
        description="Above 0: the probability must rise by at least this; below 0: fall."
    )

    @model_validator(mode="after")
    def _one_change(self) -> DirectionalCase:
        if (self.add is None) == (self.changed is None):
            raise ValueError("exactly one of 'add' and 'changed' is needed")
        if self.by == 0:
            raise ValueError("field 'by': 0 asks for nothing")
        return self

    @property
    def after(self) -> str:
        return self.changed if self.changed is not None else f"{self.text} {self.add}"

    def texts(self) -> tuple[str, ...]:
        return (self.text, self.after)


class StructuralCase(Fields):
    """What must hold of the network, whatever it was taught: it reads order, the suite can fail, padding is not read.

    With `text`: with positions off every order of its words must read the same, and with positions on it must not.
    With `text` and `check: alone`: the mail must read the same by itself and beside one of 300 words in one batch.
    With `a`, `b` and `blind`: with positions off, or with each text's words shuffled, the pair must be failed.
    """

    kind: Literal["structural"]
    text: Text | None = None
    check: Literal["orders", "alone"] | None = Field(default=None, description="Of `text`; `orders` by default.")
    a: Side | None = None
    b: Side | None = None
    blind: Literal["positions", "shuffle"] | None = None

    @model_validator(mode="after")
    def _text_or_pair(self) -> StructuralCase:
        pair = (self.a, self.b, self.blind)
        if (self.text is None) != all(part is not None for part in pair) or (self.text and any(pair)):
            raise ValueError("either 'text', or 'a', 'b' and 'blind' are needed")
        if self.check is not None and self.text is None:
            raise ValueError("field 'check' is of 'text' only")
        if self.check == "alone" and self.text is not None and len(self.text.split()) > MAX_ALONE_WORDS:
            raise ValueError(f"field 'text': over {MAX_ALONE_WORDS} words, so the mail beside it would hardly pad it")
        return self

    @property
    def pair(self) -> tuple[Side, Side] | None:
        return (self.a, self.b) if self.a is not None and self.b is not None else None

    def texts(self) -> tuple[str, ...]:
        return tuple(side.text for side in self.pair) if self.pair else (self.text or "",)


Case = SwapCase | InvarianceCase | MinimumCase | DirectionalCase | StructuralCase
