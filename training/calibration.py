"""Confidence that can be believed: a temperature that grows with length, and a threshold for each label."""

from __future__ import annotations

from math import ceil

import numpy as np
import numpy.typing as npt

from model.checkpoint import LEAST_TEMPERATURE, LEAST_THRESHOLD, MOST_EXPONENT, MOST_TEMPERATURE, length_factors
from model.classifier import softmax
from model.config import MONEY_BACK_LABELS

Array = npt.NDArray[np.float64]

TARGET_ACCURACY = 0.99  # of the mails that are decided without a person
MONEY_BACK_ACCURACY = 0.998  # of those that are read as a refund: money that went out wrongly rarely comes back
MIN_MAILS = 15  # above a threshold, for it to be believed; with fewer, nothing of that label is decided alone
GRID = np.geomspace(LEAST_TEMPERATURE, MOST_TEMPERATURE, 400)[1:-1]  # inside of what a card may say, also when rounded
EXPONENTS = np.linspace(-MOST_EXPONENT, MOST_EXPONENT, 21).round(2)


def fit_temperature(logits: Array, labels: npt.NDArray[np.int64]) -> float:
    """The temperature of least negative log-likelihood (Guo et al. 2017, section 4.2), by a search of the grid."""
    losses = [_loss(logits / t, labels) for t in GRID]
    return float(GRID[int(np.argmin(losses))])


def fit_lengths(logits: Array, labels: npt.NDArray[np.int64], n_tokens: npt.NDArray[np.int64]) -> tuple[float, float]:
    """The temperature and the length exponent of a card, together of least negative log-likelihood.

    logits: (mails, labels); labels: (mails,), columns of the logits; n_tokens: (mails,).
    """
    temperature, exponent, least = 1.0, 0.0, np.inf
    for tried in EXPONENTS:
        scaled = logits / length_factors(n_tokens, tried)[:, None]
        fitted = fit_temperature(scaled, labels)
        if (loss := _loss(scaled / fitted, labels)) < least:
            temperature, exponent, least = fitted, float(tried), loss
    return temperature, exponent


def _loss(logits: Array, labels: npt.NDArray[np.int64]) -> float:
    """Mean negative log-likelihood, in nats."""
    return float(-np.log(softmax(logits)[np.arange(len(labels)), labels] + 1e-12).mean())


def expected_calibration_error(confidences: Array, right: npt.NDArray[np.bool_], bins: int = 15) -> float:
    """Mean distance of confidence and accuracy over equally wide bins, by their share (Naeini et al. 2015)."""
    places = np.minimum((confidences * bins).astype(int), bins - 1)
    error = 0.0
    for place in np.unique(places):
        inside = places == place
        error += inside.mean() * abs(confidences[inside].mean() - right[inside].mean())
    return float(error)


def threshold(confidences: Array, right: npt.NDArray[np.bool_], target: float = TARGET_ACCURACY) -> float:
    """The least confidence above which at least `target` of the predictions are right; above 1 where there is none."""
    order = np.argsort(-confidences, kind="stable")
    accuracy = right[order].cumsum() / np.arange(1, len(order) + 1)
    good = np.flatnonzero(accuracy >= target)
    return float(confidences[order[good[-1]]]) if len(good) else 1.01


def label_thresholds(probabilities: Array, labels: npt.NDArray[np.int64], names: tuple[str, ...]) -> dict[str, float]:
    """A threshold for each predicted label, no lower than the one that all labels together would get; labels that give
    money back have to be right more often."""
    predicted, confidences = probabilities.argmax(axis=1), probabilities.max(axis=1)
    right = predicted == labels
    floor = max(LEAST_THRESHOLD, min(threshold(confidences, right), 1.0))
    found = {}
    for i, name in enumerate(names):
        target = MONEY_BACK_ACCURACY if name in MONEY_BACK_LABELS else TARGET_ACCURACY
        own = threshold(confidences[predicted == i], right[predicted == i], target)
        enough = int((confidences[predicted == i] >= own).sum()) >= MIN_MAILS
        found[name] = ceil(max(floor, own if enough else 1.0) * 10_000) / 10_000
    return found
