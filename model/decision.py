"""Auto or review: whether a label may be acted on without a person, and if not, why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from model.checks.exchange import OrderCheck, order_checks
from model.classifier import Classifier, Prediction, Spent
from model.language import unsupported_language
from model.reasons import Reason


@dataclass(frozen=True)
class Decision:
    """`auto` where reasons is empty."""

    decision: str
    reasons: tuple[Reason, ...]


ALL = "all"  # as a label in Overrides.thresholds: every label that is not named there


@dataclass(frozen=True)
class Overrides:
    """What is set over the model's card. thresholds: label, or ALL, → least confidence for `auto`; always_review: the
    labels that a person looks at whatever the confidence."""

    thresholds: Mapping[str, float] = field(default_factory=dict)
    always_review: frozenset[str] = frozenset()

    def threshold(self, label: str, card: Mapping[str, float], default: float) -> float:
        """The one that stands for a label: set for it, set for all, the card's, the default."""
        for_all = self.thresholds.get(ALL, card.get(label, default))
        return self.thresholds.get(label, for_all)


NO_OVERRIDES = Overrides()


def decide(
    text: str,
    prediction: Prediction,
    check: OrderCheck | None,
    *,
    thresholds: Mapping[str, float],
    default_threshold: float,
    languages: Collection[str],
    overrides: Overrides = NO_OVERRIDES,
) -> Decision:
    """thresholds: the card's, label → least confidence for `auto`; languages: ISO 639-1 codes the model was trained on.

    What each reason says stands in model/reasons.py.
    """
    reasons: list[Reason] = []
    if prediction.n_tokens == 0:
        reasons.append("no_text")
    if prediction.confidence < overrides.threshold(prediction.label, thresholds, default_threshold):
        reasons.append("low_confidence")
    if check is not None and not check.passed:
        reasons.append("order_check_failed")
    if prediction.truncated:
        reasons.append("truncated")
    if prediction.n_tokens and unsupported_language(text, prediction, languages):
        reasons.append("unsupported_language")
    if prediction.label in overrides.always_review:
        reasons.append("needs_person")
    return Decision("review" if reasons else "auto", tuple(reasons))


@dataclass(frozen=True)
class Read:
    """A text as the model read it, and what is decided on it."""

    prediction: Prediction
    check: OrderCheck | None
    decision: Decision


def read_texts(
    classifier: Classifier,
    texts: list[str],
    *,
    default_threshold: float,
    overrides: Overrides = NO_OVERRIDES,
    automatic: Sequence[bool] = (),
    spent: Spent | None = None,
) -> list[Read]:
    """Predict, check the order of those that contrast two phrases, decide. An empty text is `other`; so is a text that
    a machine wrote (`automatic`, one a text; none where left out), which goes to review unread."""
    automatic = automatic or [False] * len(texts)
    texts = ["" if by_machine else text for text, by_machine in zip(texts, automatic, strict=True)]
    predictions = [
        prediction if prediction.n_tokens else _nothing_to_read(prediction)
        for prediction in classifier.predict(texts, spent=spent)
    ]
    checks = order_checks(classifier, texts, predictions, spent=spent)
    card = classifier.card

    def decision(text: str, prediction: Prediction, check: OrderCheck | None, by_machine: bool) -> Decision:
        if by_machine:
            return Decision("review", ("automatic_mail",))
        return decide(
            text,
            prediction,
            check,
            thresholds=card.thresholds,
            default_threshold=default_threshold,
            languages=card.languages,
            overrides=overrides,
        )

    each = zip(texts, predictions, checks, automatic, strict=True)
    return [Read(p, c, decision(t, p, c, by_machine)) for t, p, c, by_machine in each]


def _nothing_to_read(prediction: Prediction) -> Prediction:
    """`other`, certain: there is nothing in the mail to act on (LABELS, first rule)."""
    rest = {label: 0.0 for label in prediction.probabilities if label != "other"}
    return Prediction("other", 1.0, {"other": 1.0, **rest}, (), False, 0, 0.0)
