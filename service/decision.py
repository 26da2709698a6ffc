"""Auto or review: whether a label may be acted on without a person, and if not, why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from model.checks.exchange import OrderCheck, order_checks
from model.classifier import Classifier, Prediction

UNKNOWN_RATIO_LIMIT = 0.3  # of tokens that the vocabulary lacks; above it the script is one the model cannot read
LETTERS_LIMIT = 0.5  # of the letters that are outside Latin script


@dataclass(frozen=True)
class Decision:
    """`auto` where reasons is empty."""

    decision: str
    reasons: tuple[str, ...]


def foreign_letters_ratio(text: str) -> float:
    """Share of the letters that are not of a Latin script, in which all trained languages are written."""
    letters = [character for character in text if character.isalpha()]
    foreign = sum(ord(character) > 0x24F for character in letters)
    return foreign / len(letters) if letters else 0.0


def decide(
    text: str,
    prediction: Prediction,
    check: OrderCheck | None,
    *,
    thresholds: Mapping[str, float],
    default_threshold: float,
) -> Decision:
    reasons = []
    if prediction.n_tokens == 0:
        reasons.append("no_text")
    if prediction.confidence < thresholds.get(prediction.label, default_threshold):
        reasons.append("low_confidence")
    if check is not None and not check.passed:
        reasons.append("order_check_failed")
    if prediction.truncated:
        reasons.append("truncated")
    if prediction.unknown_ratio > UNKNOWN_RATIO_LIMIT or foreign_letters_ratio(text) > LETTERS_LIMIT:
        reasons.append("unsupported_language")
    return Decision("review" if reasons else "auto", tuple(reasons))


@dataclass(frozen=True)
class Read:
    """A text as the model read it, and what is decided on it."""

    prediction: Prediction
    check: OrderCheck | None
    decision: Decision


def read_texts(classifier: Classifier, texts: list[str], *, default_threshold: float) -> list[Read]:
    """Predict, check the order of those that contrast two phrases, decide. An empty text is `other`."""
    predictions = [
        prediction if prediction.n_tokens else _nothing_to_read(prediction) for prediction in classifier.predict(texts)
    ]
    checks = order_checks(classifier, texts, predictions)
    thresholds = classifier.card.thresholds
    return [
        Read(p, c, decide(t, p, c, thresholds=thresholds, default_threshold=default_threshold))
        for t, p, c in zip(texts, predictions, checks, strict=True)
    ]


def _nothing_to_read(prediction: Prediction) -> Prediction:
    """`other`, certain: there is nothing in the mail to act on (LABELS, first rule)."""
    rest = {label: 0.0 for label in prediction.probabilities if label != "other"}
    return Prediction("other", 1.0, {"other": 1.0, **rest}, (), False, 0, 0.0)
