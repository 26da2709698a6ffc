from __future__ import annotations

import numpy as np
import pytest

from training.curves import coverage, coverage_at, order_blind_ceiling, reliability
from training.data import Mail


def test_reliability_gives_each_bin_its_own_confidence_and_accuracy() -> None:
    rows = reliability(np.array([0.95, 0.91, 0.55, 0.52]), np.array([True, True, True, False]))
    assert rows == [
        {"mails": 2, "confidence": pytest.approx(0.535), "accuracy": 0.5},
        {"mails": 2, "confidence": pytest.approx(0.93), "accuracy": 1.0},
    ]


def test_coverage_takes_the_most_confident_first() -> None:
    confidences, right = np.array([0.6, 0.9, 0.8, 0.7]), np.array([False, True, True, False])
    points = coverage(confidences, right, points=4)
    assert [point["accuracy"] for point in points] == pytest.approx([1.0, 1.0, 2 / 3, 0.5])
    assert points[1] == {"coverage": 0.5, "accuracy": 1.0, "threshold": 0.8}
    assert coverage_at(confidences, right, 0.99) == 0.5
    assert coverage_at(confidences, np.zeros(4, dtype=bool), 0.99) == 0.0


def test_a_reader_without_order_gets_at_most_one_of_two_mails_of_one_bag() -> None:
    mails = [
        Mail("Refund the fee, not the cake.", "refund_fee", pair="1"),
        Mail("Refund the cake, not the fee.", "refund_item", pair="1"),
        Mail("Refund the fee and keep the cake.", "refund_fee", pair="2"),
        Mail("Refund the cake and forget the fee.", "refund_item", pair="2"),
    ]
    ceiling = order_blind_ceiling(mails)
    assert ceiling == {"accuracy": 0.75, "same_bag_share_of_pairs": 0.5, "pairs_both_right": 0.5}
