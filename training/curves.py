"""Figures behind the report's plots: reliability, coverage against accuracy, and what no order-blind model can pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from training.data import Mail, normalised

Confidences = npt.NDArray[np.float64]
Right = npt.NDArray[np.bool_]
RELIABILITY_BINS = 10
COVERAGE_POINTS = 100


def reliability(confidences: Confidences, right: Right, bins: int = RELIABILITY_BINS) -> list[dict[str, float]]:
    """Mean confidence and accuracy in equally wide bins of confidence; empty bins are left out."""
    places = np.minimum((confidences * bins).astype(int), bins - 1)
    return [
        {
            "mails": int((places == place).sum()),
            "confidence": float(confidences[places == place].mean()),
            "accuracy": float(right[places == place].mean()),
        }
        for place in np.unique(places)
    ]


def coverage(confidences: Confidences, right: Right, points: int = COVERAGE_POINTS) -> list[dict[str, float]]:
    """Accuracy of the most confident share of mails, share by share, and the confidence that cuts it off."""
    if not len(confidences):
        return []
    order = np.argsort(-confidences, kind="stable")
    accuracy = right[order].cumsum() / np.arange(1, len(order) + 1)
    ends = sorted({max(1, round(len(order) * k / points)) for k in range(1, points + 1)})
    return [
        {
            "coverage": end / len(order),
            "accuracy": float(accuracy[end - 1]),
            "threshold": float(confidences[order[end - 1]]),
        }
        for end in ends
    ]


def coverage_at(confidences: Confidences, right: Right, accuracy: float) -> float:
    """The largest share of mails, most confident first, of which at least `accuracy` are right: the best that a
    threshold chosen with these very mails could do."""
    order = np.argsort(-confidences, kind="stable")
    running = right[order].cumsum() / np.arange(1, len(order) + 1)
    good = np.flatnonzero(running >= accuracy)
    return float((good[-1] + 1) / len(order)) if len(good) else 0.0


def bag(mail: Mail) -> tuple[str, ...]:
    """The mail's words without their order."""
    return tuple(sorted(normalised(mail.text).split()))


def order_blind_ceiling(mails: Sequence[Mail]) -> dict[str, Any]:
    """The best any reader of words without order could do: one label for each bag of words, the commonest.

    Of pairs of two labels whose members are one bag, such a reader gets none right.
    """
    labels: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for mail in mails:
        labels[bag(mail)][mail.label] += 1
    reachable = sum(counts.most_common(1)[0][1] for counts in labels.values())
    pairs: dict[str, list[Mail]] = defaultdict(list)
    for mail in mails:
        if mail.pair is not None:
            pairs[mail.pair].append(mail)
    told = [members for members in pairs.values() if len(members) == 2 and members[0].label != members[1].label]
    same = sum(bag(a) == bag(b) for a, b in told)
    return {
        "accuracy": reachable / max(1, len(mails)),
        "same_bag_share_of_pairs": same / max(1, len(told)),
        "pairs_both_right": (len(told) - same) / max(1, len(told)),
    }
