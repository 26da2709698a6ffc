"""The order check of one mail: exchange what is to be refunded with what is not, and see the roles follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.classifier import Classifier, Prediction, Spent
from model.spans import Span


@dataclass(frozen=True)
class OrderCheck:
    """A mail read again with its two phrases exchanged; passed where the roles changed places too."""

    swapped_text: str
    passed: bool


def _best(spans: Sequence[Span], role: str) -> Span | None:
    return max((span for span in spans if span.role == role), key=lambda span: span.confidence, default=None)


def exchange(text: str, first: Span, second: Span) -> str:
    """The text with two spans' words in each other's place."""
    left, right = sorted((first, second), key=lambda span: span.start)
    return text[: left.start] + right.text + text[left.end : right.start] + left.text + text[right.end :]


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
        roles = {span.text.casefold(): span.role for span in prediction.spans}
        followed = roles.get(keep.text.casefold()) == "refund" and roles.get(refund.text.casefold()) == "keep"
        checks[index] = OrderCheck(swapped, followed)
    return checks
