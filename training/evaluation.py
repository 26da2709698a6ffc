"""What a model folder gets right on labelled mails, as figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from model.classifier import Classifier, Prediction
from model.config import MONEY_BACK_LABELS, NO_ROLE, ROLES
from model.decision import Read, read_texts
from training.calibration import TARGET_ACCURACY, expected_calibration_error
from training.curves import bag, coverage, coverage_at, order_blind_ceiling, reliability
from training.data import Mail
from training.markup import render

BATCH = 64
RESAMPLES = 1_000  # of the bootstrap behind macro-F1's interval
SHOWN_MISTAKES = 50
NEVER = 1.01  # a confidence that no prediction reaches: labels without a threshold are never decided alone
Pairs = dict[str, list[tuple[Mail, Prediction]]]


def wilson_interval(successes: int, total: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if total == 0:
        return (0.0, 1.0)
    z, share = 1.959964, successes / total
    centre = share + z * z / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return ((centre - spread) / (1 + z * z / total), (centre + spread) / (1 + z * z / total))


def by_length(mails: Sequence[Mail]) -> list[list[int]]:
    """Indices of mails in batches of alike length: a batch is padded to its longest mail."""
    ordered = sorted(range(len(mails)), key=lambda i: len(mails[i].text))
    return [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]


def read(classifier: Classifier, mails: Sequence[Mail], progress: Callable[[int], None] = lambda _: None) -> list[Read]:
    """Each mail's prediction, order check and decision, as the service would give them."""
    reads: dict[int, Read] = {}
    for rows in by_length(mails):
        found = read_texts(classifier, [mails[i].text for i in rows], default_threshold=NEVER)
        reads |= dict(zip(rows, found, strict=True))
        progress(len(rows))
    return [reads[i] for i in range(len(mails))]


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


def macro_f1_interval(gold: Sequence[str], predicted: Sequence[str]) -> list[float]:
    """95 % interval by the bootstrap over mails (Efron 1979), with a fixed seed."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(gold), size=(RESAMPLES, len(gold)))
    scores = [macro_f1([gold[i] for i in row], [predicted[i] for i in row]) for row in rows.tolist()]
    return [float(np.quantile(scores, 0.025)), float(np.quantile(scores, 0.975))]


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
    """Mirror pairs whose labels differ: both right, both the same label, and the order gaps."""
    pairs: Pairs = defaultdict(list)
    for mail, prediction in zip(mails, predictions, strict=True):
        if mail.pair is not None:
            pairs[mail.pair].append((mail, prediction))
    told = [members for members in pairs.values() if len(members) == 2 and members[0][0].label != members[1][0].label]
    if not told:
        return {"pairs": 0}
    gaps = [abs(a.probabilities[mail.label] - b.probabilities[mail.label]) for (mail, a), (_, b) in told]
    both_right = [all(p.label == m.label for m, p in members) for members in told]
    same_bag = [ok for ok, members in zip(both_right, told, strict=True) if bag(members[0][0]) == bag(members[1][0])]
    return {
        "pairs": len(told),
        "both_right": sum(both_right) / len(told),
        "both_right_interval": list(wilson_interval(sum(both_right), len(told))),
        "both_right_of_same_bag": sum(same_bag) / max(1, len(same_bag)),
        "both_same": sum(members[0][1].label == members[1][1].label for members in told) / len(told),
        "order_gap_mean": float(np.mean(gaps)),
        "order_gap_histogram": np.histogram(gaps, bins=10, range=(0.0, 1.0))[0].tolist(),
    }


def auto_figures(mails: Sequence[Mail], reads: Sequence[Read]) -> dict[str, Any]:
    """What is decided without a person: above the card's thresholds, order check passed, in a language it knows."""
    auto = [(m, r.prediction) for m, r in zip(mails, reads, strict=True) if r.decision.decision == "auto"]
    wrong_money = sum(p.label in MONEY_BACK_LABELS and p.label != m.label for m, p in auto)
    sent: dict[str, list[bool]] = defaultdict(list)
    for r in reads:
        sent[r.prediction.label].append(r.decision.decision != "auto")
    right = sum(p.label == m.label for m, p in auto)
    return {
        "coverage": len(auto) / max(1, len(mails)),
        "accuracy": right / max(1, len(auto)),
        "accuracy_interval": list(wilson_interval(right, len(auto))),
        "wrong": len(auto) - right,
        "wrong_money_back": wrong_money,
        "reasons": dict(Counter(reason for r in reads for reason in r.decision.reasons)),
        "refused_share": {label: sum(members) / len(members) for label, members in sorted(sent.items())},
    }


def mistakes(mails: Sequence[Mail], predictions: Sequence[Prediction]) -> list[dict[str, Any]]:
    """The wrong ones of greatest confidence."""
    wrong = [(m, p) for m, p in zip(mails, predictions, strict=True) if m.label != p.label]
    wrong.sort(key=lambda both: -both[1].confidence)
    return [
        {
            "source": f"{mail.writer}/{mail.source}",
            "text": render(mail.text, mail.spans),
            "label": mail.label,
            "predicted": prediction.label,
            "confidence": prediction.confidence,
        }
        for mail, prediction in wrong[:SHOWN_MISTAKES]
    ]


def length_group(mail: Mail) -> str:
    words = len(mail.text.split())
    bounds = ((20, "000-020"), (60, "021-060"), (120, "061-120"), (250, "121-250"))
    return next((name for most, name in bounds if words <= most), "over 250")


def evaluate(
    classifier: Classifier,
    mails: Sequence[Mail],
    progress: Callable[[int], None] = lambda _: None,
    *,
    show_mistakes: bool = True,
) -> dict[str, Any]:
    """Every figure, ready for JSON. Of mails that nobody may read for errors the mistakes are not shown."""
    reads = read(classifier, mails, progress)
    predictions = [r.prediction for r in reads]
    gold, predicted = [mail.label for mail in mails], [p.label for p in predictions]
    right = [g == p for g, p in zip(gold, predicted, strict=True)]
    confidences, correct = np.array([p.confidence for p in predictions]), np.array(right)
    confusion: dict[str, dict[str, int]] = {label: defaultdict(int) for label in classifier.classes}
    for g, p in zip(gold, predicted, strict=True):
        confusion[g][p] += 1
    return {
        "model_version": classifier.version,
        "label": _share(right),
        "single_label": _share([ok for ok, mail in zip(right, mails, strict=True) if mail.pair is None]),
        "macro_f1": macro_f1(gold, predicted),
        "macro_f1_interval": macro_f1_interval(gold, predicted),
        "pairs": pair_figures(mails, predictions),
        "order_blind_ceiling": order_blind_ceiling(mails),
        "span_f1": span_f1(mails, predictions),
        "expected_calibration_error": expected_calibration_error(confidences, correct),
        "reliability": reliability(confidences, correct),
        "auto": auto_figures(mails, reads),
        "coverage_at_target": coverage_at(confidences, correct, TARGET_ACCURACY),
        "coverage": coverage(confidences, correct),
        "by_label": by_group(mails, right, lambda mail: mail.label),
        "by_writer": by_group(mails, right, lambda mail: mail.writer),
        "by_trade": by_group(mails, right, lambda mail: mail.trade or "not noted"),
        "by_channel": by_group(mails, right, lambda mail: mail.channel or "not noted"),
        "by_language": by_group(mails, right, lambda mail: mail.lang),
        "by_length": by_group(mails, right, length_group),
        "confusion": {g: dict(row) for g, row in confusion.items()},
        "mistakes": mistakes(mails, predictions) if show_mistakes else [],
    }
