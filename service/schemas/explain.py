"""What goes over the wire where a reading is laid open."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.schemas.emails import LabelProbability, SpanOut, Text, Wire

MAX_EXPLAIN_CHARACTERS = 2_000
MAX_EXPLAIN_WORDS = 64  # attention grows with their square: 64 words in 12 layers of 12 heads are a megabyte
MAX_HEADS_OFF = 1_024


class Head(Wire):
    """One attention head; both are counted from 0."""

    layer: int = Field(ge=0)
    head: int = Field(ge=0)


class ExplainIn(Wire):
    """A short text, and how it is to be read. Nothing of it is stored."""

    text: Annotated[Text, Field(min_length=1, max_length=MAX_EXPLAIN_CHARACTERS)] = Field(
        examples=["Refund the cake, not the delivery fee."]
    )
    order: list[int] | None = Field(
        default=None,
        max_length=MAX_EXPLAIN_WORDS,
        description="the words by their numbers as written, in another order; left out: as written",
        examples=[[0, 1, 6, 7, 3, 4, 5, 2, 8]],
    )
    positions: bool = Field(default=True, description="off: every token is told that it stands at 0")
    heads_off: list[Head] = Field(
        default_factory=list, max_length=MAX_HEADS_OFF, description="attention heads whose output is set to nought"
    )
    attention: bool = Field(default=True, description="whether the answer holds the arranged text's attention")
    attention_from: int | None = Field(
        default=None, ge=0, description="a word's number: attention from this word only, the mean over its tokens"
    )


class WordOut(Wire):
    """A word or sign of the text as written: what can be moved."""

    text: str
    start: int
    end: int


class TokenOut(Wire):
    """A token where it stands; word is null for [CLS] and [SEP], offsets are into the reading's text."""

    piece: str
    start: int
    end: int
    position: int
    word: int | None


class ReadingOut(Wire):
    """What the model says of one arrangement of the words."""

    text: str
    label: str
    confidence: float
    probabilities: list[LabelProbability]
    spans: list[SpanOut]
    tokens: list[TokenOut]


class ExplainOut(Wire):
    """Both readings, with positions and heads as asked, and how far they lie apart."""

    model_version: str
    position_scheme: str
    n_layers: int
    n_heads: int
    words: list[WordOut]
    as_written: ReadingOut
    arranged: ReadingOut
    order_gap: float = Field(description="of the label as written: how far its probability lies apart in the readings")
    attention: list[list[list[list[float]]]] | None = Field(
        description="of the arranged text: [layer][head][from token][to token], rows summing to 1, to four digits; "
        "one row where attention_from was asked"
    )
