"""What a model folder gets right on labelled mails, as figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from model.classifier import Classifier, Prediction
from model.config import MONEY_BACK_LABELS, NO_ROLE, ROLES
from training.calibration import expected_calibration_error
from training.data import Mail

BATCH = 64
Pairs = dict[str, list[tuple[Mail, Prediction]]]


def wilson_interval(successes: int, total: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if total == 0:
        return (0.0, 1.0)
    z, share = 1.959964, successes / total
    centre = share + z * z / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return ((centre - spread) / (1 + z * z / total), (centre + spread) / (1 + z * z / total))


def predict(
    classifier: Classifier, mails: Sequence[Mail], progress: Callable[[int], None] = lambda _: None
) -> list[Prediction]:
    predictions: list[Prediction] = []
    for start in range(0, len(mails), BATCH):
        batch = [mail.text for mail in mails[start : start + BATCH]]
        predictions += classifier.predict(batch)
        progress(len(batch))
    return predictions


def _share(right: Sequence[bool]) -> dict[str, Any]:
    low, high = wilson_interval(sum(right), len(right))
    return {"mails": len(right), "accuracy": sum(right) / max(1, len(right)), "interval": [low, high]}


def by_group(mails: Sequence[Mail], right: Sequence[bool], key: Callable[[Mail], str]) -> dict[str, Any]:
    groups: dict[str, list[bool]] = defaultdict(list)
    for mail, correct in zip(mails, right, strict=True):
        groups[key(mail)].append(correct)
    return {name: _share(members) for name, members in sorted(groups.items())}


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Mean over the labels that occur in either."""
    scores = []
    for label in set(gold) | set(predicted):
        both = sum(g == p == label for g, p in zip(gold, predicted, strict=True))
        scores.append(2 * both / (gold.count(label) + list(predicted).count(label)))
    return float(np.mean(scores))


def span_f1(mails: Sequence[Mail], predictions: Sequence[Prediction]) -> dict[str, float]:
    """Exact match of role and both ends, micro-averaged, in all and by role."""
    counts: dict[str, list[int]] = {role: [0, 0, 0] for role in ROLES if role != NO_ROLE}
    for mail, prediction in zip(mails, predictions, strict=True):
        for role, count in counts.items():
            gold = {(s.start, s.end) for s in mail.spans if s.role == role}
            found = {(s.start, s.end) for s in prediction.spans if s.role == role}
            for place, number in enumerate((len(gold & found), len(gold), len(found))):
                count[place] += number
    counts["all"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    return {role: 2 * both / max(1, gold + found) for role, (both, gold, found) in counts.items()}


def pair_figures(mails: Sequence[Mail], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Mirror pairs whose labels differ: both right, both the same label, and the mean order gap."""
    pairs: Pairs = defaultdict(list)
    for mail, prediction in zip(mails, predictions, strict=True):
        if mail.pair is not None:
            pairs[mail.pair].append((mail, prediction))
    told = [members for members in pairs.values() if len(members) == 2 and members[0][0].label != members[1][0].label]
    if not told:
        return {"pairs": 0}
    gaps = [abs(a.probabilities[mail.label] - b.probabilities[mail.label]) for (mail, a), (_, b) in told]
    return {
        "pairs": len(told),
        "both_right": sum(all(p.label == m.label for m, p in members) for members in told) / len(told),
        "both_same": sum(members[0][1].label == members[1][1].label for members in told) / len(told),
        "order_gap_mean": float(np.mean(gaps)),
    }


def auto_figures(classifier: Classifier, mails: Sequence[Mail], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """What the card's thresholds let through without a person, by confidence alone."""
    thresholds = classifier.card.thresholds
    auto = [(m, p) for m, p in zip(mails, predictions, strict=True) if p.confidence >= thresholds.get(p.label, 1.01)]
    wrong_money = sum(p.label in MONEY_BACK_LABELS and p.label != m.label for m, p in auto)
    return {
        "coverage": len(auto) / max(1, len(mails)),
        "accuracy": sum(p.label == m.label for m, p in auto) / max(1, len(auto)),
        "wrong_money_back": wrong_money,
    }


def _length(mail: Mail) -> str:
    words = len(mail.text.split())
    return "000-020" if words <= 20 else "021-060" if words <= 60 else "061-120" if words <= 120 else "over 120"


def evaluate(
    classifier: Classifier, mails: Sequence[Mail], progress: Callable[[int], None] = lambda _: None
) -> dict[str, Any]:
    """Every figure, ready for JSON."""
    predictions = predict(classifier, mails, progress)
    gold, predicted = [mail.label for mail in mails], [p.label for p in predictions]
    right = [g == p for g, p in zip(gold, predicted, strict=True)]
    confidences = np.array([p.confidence for p in predictions])
    confusion: dict[str, dict[str, int]] = {label: defaultdict(int) for label in classifier.classes}
    for g, p in zip(gold, predicted, strict=True):
        confusion[g][p] += 1
    return {
        "model_version": classifier.version,
        "label": _share(right),
        "single_label": _share([ok for ok, mail in zip(right, mails, strict=True) if mail.pair is None]),
        "macro_f1": macro_f1(gold, predicted),
        "pairs": pair_figures(mails, predictions),
        "span_f1": span_f1(mails, predictions),
        "expected_calibration_error": expected_calibration_error(confidences, np.array(right)),
        "auto": auto_figures(classifier, mails, predictions),
        "by_label": by_group(mails, right, lambda mail: mail.label),
        "by_writer": by_group(mails, right, lambda mail: mail.writer),
        "by_language": by_group(mails, right, lambda mail: mail.lang),
        "by_length": by_group(mails, right, _length),
        "confusion": {g: dict(row) for g, row in confusion.items()},
    }
