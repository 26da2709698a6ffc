from __future__ import annotations

import numpy as np
import pytest

from model.checkpoint import Card
from model.classifier import softmax
from training.calibration import (
    expected_calibration_error,
    fit_lengths,
    fit_temperature,
    label_thresholds,
    threshold,
)
from training.evaluation import wilson_interval


def test_the_temperature_that_made_the_labels_is_found() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(20_000, 4)) * 3
    labels = np.array([rng.choice(4, p=row) for row in softmax(logits / 2.0)])
    assert fit_temperature(logits, labels) == pytest.approx(2.0, rel=0.05)


def test_a_temperature_that_grows_with_length_is_found_and_none_where_none_does() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(20_000, 4)) * 3
    n_tokens = rng.integers(1, 1_500, 20_000)
    grown = Card("v", temperature=1.5, length_exponent=0.2)
    labels = np.array([rng.choice(4, p=row) for row in softmax(logits / grown.temperatures(n_tokens)[:, None])])
    temperature, exponent = fit_lengths(logits, labels, n_tokens)
    assert temperature == pytest.approx(1.5, rel=0.05)
    assert exponent == pytest.approx(0.2, abs=0.05)
    labels = np.array([rng.choice(4, p=row) for row in softmax(logits / 1.5)])
    assert fit_lengths(logits, labels, n_tokens)[1] == pytest.approx(0.0, abs=1e-9)


def test_calibration_error_is_nought_where_confidence_is_accuracy_and_large_where_not() -> None:
    confidences = np.full(1_000, 0.8)
    right = np.arange(1_000) < 800
    assert expected_calibration_error(confidences, right) == pytest.approx(0.0)
    assert expected_calibration_error(confidences, np.zeros(1_000, dtype=bool)) == pytest.approx(0.8)


def test_the_threshold_is_the_lowest_at_which_the_target_holds() -> None:
    confidences = np.array([0.99, 0.95, 0.9, 0.8, 0.7])
    assert threshold(confidences, np.array([True, True, True, False, True]), target=0.9) == pytest.approx(0.9)
    assert threshold(confidences, np.zeros(5, dtype=bool)) > 1


def test_a_label_that_is_often_wrong_gets_a_higher_threshold() -> None:
    rng = np.random.default_rng(1)
    labels = np.array([0, 1] * 500)
    top = rng.uniform(0.6, 1.0, size=1_000)
    probabilities = np.stack([np.where(labels == 0, top, 1 - top), np.where(labels == 0, 1 - top, top)], axis=1)
    labels[::8] = 1  # an eighth of what is read as 0 is 1
    found = label_thresholds(probabilities, labels, ("a", "b"))
    assert found["a"] > found["b"]


def test_a_label_that_gives_money_back_has_to_be_right_more_often() -> None:
    rng = np.random.default_rng(2)
    labels = np.array([0, 1] * 1_000)
    top = rng.uniform(0.6, 1.0, size=2_000)
    probabilities = np.stack([np.where(labels == 0, top, 1 - top), np.where(labels == 0, 1 - top, top)], axis=1)
    wrong = np.flatnonzero(top > 0.7)[::150]  # rarely, and of both alike
    labels[wrong] = 1 - labels[wrong]
    found = label_thresholds(probabilities, labels, ("refund_item", "replacement"))
    again = label_thresholds(probabilities[:, ::-1], 1 - labels, ("refund_item", "replacement"))
    assert found["refund_item"] > found["replacement"]
    assert again["refund_item"] > again["replacement"]


def test_wilson_interval_of_nine_in_ten() -> None:
    assert wilson_interval(9, 10) == pytest.approx((0.596, 0.982), abs=1e-3)
