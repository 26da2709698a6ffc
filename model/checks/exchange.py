"""The order check of one mail: exchange what is to be refunded with what is not, and see the refund follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from model.classifier import Classifier, Prediction, Spent
from model.spans import Span


@dataclass(frozen=True)
class OrderCheck:
    """A mail read again with its two phrases exchanged; passed where the refund went to the other words too."""

    swapped_text: str
    passed: bool


def _best(spans: Sequence[Span], role: str) -> Span | None:
    return max((span for span in spans if span.role == role), key=lambda span: span.confidence, default=None)


def exchange(text: str, first: Span, second: Span) -> str:
    """The text with two spans' words in each other's place."""
    left, right = sorted((first, second), key=lambda span: span.start)
    return text[: left.start] + right.text + text[left.end : right.start] + left.text + text[right.end :]


def refund_followed(refund: Span, keep: Span, spans: Sequence[Span]) -> bool:
    """Whether, of the spans read after the exchange, a refund lies on the words that were kept, and none on the others.

    Edges may differ by a word, and what is kept may go unmarked
    ("the whole order, not the spoons" excludes the spoons, "the spoons, not the whole order" excludes nothing).
    """
    left, right = sorted((refund, keep), key=lambda span: span.start)
    moved = {
        right.role: replace(right, start=left.start, end=left.start + len(right.text)),
        left.role: replace(left, start=right.end - len(left.text), end=right.end),
    }
    asked = [span for span in spans if span.role == "refund"]
    return any(span.overlaps(moved["keep"]) for span in asked) and not any(
        span.overlaps(moved["refund"]) for span in asked
    )


def order_checks(
    classifier: Classifier, texts: list[str], predictions: list[Prediction], *, spent: Spent | None = None
) -> list[OrderCheck | None]:
    """For each mail that has a refund and a keep span: one check; None for the others. One forward pass for all."""
    asked: list[tuple[int, Span, Span, str]] = []
    for index, (text, prediction) in enumerate(zip(texts, predictions, strict=True)):
        refund, keep = _best(prediction.spans, "refund"), _best(prediction.spans, "keep")
        if refund and keep and refund.text.casefold() != keep.text.casefold():
            asked.append((index, refund, keep, exchange(text, refund, keep)))
    checks: list[OrderCheck | None] = [None] * len(texts)
    again = classifier.predict([swapped for *_, swapped in asked], spent=spent) if asked else []
    for (index, refund, keep, swapped), prediction in zip(asked, again, strict=True):
        checks[index] = OrderCheck(swapped, refund_followed(refund, keep, prediction.spans))
    return checks
