"""Auto or review: whether a label may be acted on without a person, and if not, why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from model.checks.exchange import OrderCheck, order_checks
from model.classifier import Classifier, Prediction
from model.language import unsupported_language


@dataclass(frozen=True)
class Decision:
    """`auto` where reasons is empty."""

    decision: str
    reasons: tuple[str, ...]


def decide(
    text: str,
    prediction: Prediction,
    check: OrderCheck | None,
    *,
    thresholds: Mapping[str, float],
    default_threshold: float,
    languages: Collection[str],
) -> Decision:
    """thresholds: label → least confidence for `auto`; languages: ISO 639-1 codes the model was trained on."""
    reasons = []
    if prediction.n_tokens == 0:
        reasons.append("no_text")
    if prediction.confidence < thresholds.get(prediction.label, default_threshold):
        reasons.append("low_confidence")
    if check is not None and not check.passed:
        reasons.append("order_check_failed")
    if prediction.truncated:
        reasons.append("truncated")
    if prediction.n_tokens and unsupported_language(text, prediction, languages):
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
    card = classifier.card

    def decision(text: str, prediction: Prediction, check: OrderCheck | None) -> Decision:
        return decide(
            text,
            prediction,
            check,
            thresholds=card.thresholds,
            default_threshold=default_threshold,
            languages=card.languages,
        )

    return [Read(p, c, decision(t, p, c)) for t, p, c in zip(texts, predictions, checks, strict=True)]


def _nothing_to_read(prediction: Prediction) -> Prediction:
    """`other`, certain: there is nothing in the mail to act on (LABELS, first rule)."""
    rest = {label: 0.0 for label in prediction.probabilities if label != "other"}
    return Prediction("other", 1.0, {"other": 1.0, **rest}, (), False, 0, 0.0)
