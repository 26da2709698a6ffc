"""Makes a model's reference: labelled mails as numbers, and how far chance alone takes as many of them as a day has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from model.classifier import Classifier
from model.drift import distances, features, language_shares
from model.language import identify
from model.reference import SIGNALS, SIZES, MailEmbedding, MailNumbers, Projection, Reference, word_vectors
from training.data import Mail
from training.evaluation import read

DIMENSIONS = 8  # of the embedding: half of the variance, and few enough that 50 mails give a steady covariance
DRAWS = 2_000  # of the bootstrap, for each number of mails
CHANCE = 0.999  # of the draws are nearer than the threshold: at one look a day, a false alarm in three years
MIN_MAILS = 200
TENTHS = 10


def project(means: npt.NDArray[np.float64]) -> Projection:
    """Principal components of mails' mean word vectors (mails, d_model), each scaled to variance 1."""
    centre = means.mean(axis=0)
    _, scales, directions = np.linalg.svd(means - centre, full_matrices=False)
    kept = min(DIMENSIONS, int((scales > scales[0] * 1e-6).sum()))
    components = directions[:kept] / (scales[:kept, None] / np.sqrt(len(means)))
    rounded = [tuple(float(f"{value:.5g}") for value in row) for row in components]
    return Projection(tuple(float(f"{value:.5g}") for value in centre), tuple(rounded))


def make_reference(
    classifier: Classifier,
    folder: Path,
    labelled: Sequence[Mail],
    source: str,
    progress: Callable[[int], None] = lambda _: None,
) -> Reference:
    """Read the mails with the model and learn what chance makes of them. Raises ValueError for too few mails."""
    reads = read(classifier, labelled, progress)
    words = [(mail, r) for mail, r in zip(labelled, reads, strict=True) if r.prediction.n_tokens]
    if len(words) < MIN_MAILS:
        raise ValueError(f"{len(words)} mails with words are fewer than the {MIN_MAILS} of which a reference is made")
    table = word_vectors(folder)
    encoded = classifier.tokenizer.encode([mail.text for mail, _ in words])
    projection = project(np.stack([table[tokens.ids].mean(axis=0) for tokens in encoded]).astype(np.float64))
    embed = MailEmbedding(folder, projection)
    mails = [
        MailNumbers(
            label=r.prediction.label,
            confidence=r.prediction.confidence,
            n_tokens=r.prediction.n_tokens,
            unknown_ratio=r.prediction.unknown_ratio,
            language=identify(mail.text)[0],
            embedding=embed(tokens.ids),
        )
        for (mail, r), tokens in zip(words, encoded, strict=True)
    ]
    lengths = np.array([mail.n_tokens for mail in mails])
    edges = np.unique(np.quantile(lengths, np.arange(1, TENTHS) / TENTHS))
    places = np.searchsorted(edges, lengths, side="right")
    counts = Counter(mail.label for mail in mails)
    reference = Reference(
        model_version=classifier.card.version,
        mails=len(mails),
        source=source,
        labels={label: counts[label] / len(mails) for label in classifier.classes},
        confidence=float(np.mean([mail.confidence for mail in mails])),
        accuracy=float(np.mean([r.prediction.label == mail.label for mail, r in words])),
        length_edges=tuple(map(float, edges)),
        length_shares=tuple(np.bincount(places, minlength=len(edges) + 1) / len(mails)),
        unknown_ratio=float(np.mean([mail.unknown_ratio for mail in mails])),
        languages=language_shares(mails, classifier.card.languages),
        projection=projection,
        thresholds={},
    )
    return replace(reference, thresholds=chance(mails, reference))


def chance(mails: Sequence[MailNumbers], reference: Reference) -> dict[str, dict[int, float]]:
    """For each signal and number of mails, the distance under which all but one in a thousand draws stay.

    The bootstrap (Efron 1979) over mails, with a fixed seed.
    """
    rows = features(mails, reference)
    rng = np.random.default_rng(0)
    found: dict[str, dict[int, float]] = {signal: {} for signal in SIGNALS}
    for size in SIZES:
        counts = rng.multinomial(size, np.full(len(mails), 1 / len(mails)), size=DRAWS)
        for signal, drawn in distances(counts @ rows / size, reference).items():
            found[signal][size] = float(f"{np.quantile(drawn, CHANCE):.5g}")
    return found
