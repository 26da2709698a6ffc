"""How far a day's mails are from those that the model was calibrated on, without labels.

Six signals, each a distance that grows as mail changes, beside the largest that chance explains:

label_mix   population stability index (PSI) of the predicted labels
confidence  how far the mean confidence is under the reference's
length      PSI of the number of tokens, in tenths of the reference
unknown     how far the mean share of unknown tokens is over the reference's
language    PSI of the languages
embedding   Fréchet distance (Dowson and Landau 1982) of the mails' mean word vectors, in the reference's own scale

What chance explains is learned by drawing mails from the reference, again and again, as many as the day has. Of
thousands of mails it explains next to nothing, so a distance must also be one that matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.classifier import MAX_CHARACTERS, Classifier
from model.language import identify
from model.reference import SIGNALS, SIZES, MailNumbers, Reference

Array = npt.NDArray[np.float64]
LEAST_SHARE = 1e-3  # of a bucket in the PSI, so that an empty one is a large difference and not an endless one
OTHER_LANGUAGE = "other"
MATTERS = {  # the least that is called a shift: a PSI of 0.1 is the usual border between none and some
    "label_mix": 0.1,
    "confidence": 0.02,
    "length": 0.1,
    "unknown": 0.01,
    "language": 0.1,
    "embedding": 0.5,  # half a standard deviation and more, over all directions
}


@dataclass(frozen=True)
class Signal:
    """threshold and shifted are None where the mails are too few to tell."""

    name: str
    distance: float
    threshold: float | None

    @property
    def shifted(self) -> bool | None:
        return None if self.threshold is None else self.distance > self.threshold


def stability_index(reference: Array, share: Array) -> Array:
    """PSI over the last axis: sum((share - reference) * ln(share / reference))."""
    reference, share = np.maximum(reference, LEAST_SHARE), np.maximum(share, LEAST_SHARE)
    index: Array = ((share - reference) * np.log(share / reference)).sum(axis=-1)
    return index


def frechet(mean: Array, second_moment: Array) -> Array:
    """From N(0, I) to mails with a mean (…, d) and a second moment (…, d, d), over the last axes."""
    covariance = second_moment - mean[..., :, None] * mean[..., None, :]
    variances = np.maximum(np.linalg.eigvalsh(covariance), 0.0)
    distance: Array = (mean**2).sum(axis=-1) + (1.0 + variances - 2.0 * np.sqrt(variances)).sum(axis=-1)
    return distance


def features(mails: Sequence[MailNumbers], reference: Reference) -> Array:
    """One row a mail, made so that every signal follows from the rows' mean: (mails, columns)."""
    labels, languages = list(reference.labels), list(reference.languages)
    rows = []
    for mail in mails:
        length = int(np.searchsorted(reference.length_edges, mail.n_tokens, side="right"))
        language = mail.language if mail.language in reference.languages else OTHER_LANGUAGE
        vector = np.asarray(mail.embedding)
        rows.append(
            np.concatenate(
                [
                    [mail.label == name for name in labels],
                    np.arange(len(reference.length_shares)) == length,
                    [language == name for name in languages],
                    [mail.confidence, mail.unknown_ratio],
                    vector,
                    np.outer(vector, vector).ravel(),
                ]
            ).astype(np.float64)
        )
    return np.stack(rows)


def distances(means: Array, reference: Reference) -> dict[str, Array]:
    """Each signal of mean feature rows (…, columns)."""
    sizes = [len(reference.labels), len(reference.length_shares), len(reference.languages), 1, 1, reference.dimensions]
    labels, lengths, languages, confidence, unknown, vector, moment = np.split(means, np.cumsum(sizes), axis=-1)
    d = reference.dimensions
    found = {
        "label_mix": stability_index(np.array(list(reference.labels.values())), labels),
        "confidence": reference.confidence - confidence[..., 0],
        "length": stability_index(np.array(reference.length_shares), lengths),
        "unknown": unknown[..., 0] - reference.unknown_ratio,
        "language": stability_index(np.array(list(reference.languages.values())), languages),
    }
    found["embedding"] = frechet(vector, moment.reshape(*moment.shape[:-1], d, d))
    return {name: np.maximum(found[name], 0.0) for name in SIGNALS}


def signals(mails: Sequence[MailNumbers], reference: Reference) -> list[Signal]:
    """The signals of at least one mail."""
    found = distances(features(mails, reference).mean(axis=0), reference)
    size = max((size for size in SIZES if size <= len(mails)), default=None)
    return [
        Signal(name, float(distance), max(reference.thresholds[name][size], MATTERS[name]) if size else None)
        for name, distance in found.items()
    ]


def estimated_accuracy(mails: Sequence[MailNumbers], reference: Reference) -> float:
    """Accuracy without labels: the reference's, moved by the difference of mean confidences.

    Guillory et al. 2021, section 3 (difference of confidences): calibrated confidence falls as accuracy does.
    """
    confidence = sum(mail.confidence for mail in mails) / len(mails)
    return min(1.0, max(0.0, reference.accuracy + confidence - reference.confidence))


class DriftMeter:
    """Measures mails against the reference of one model; `reference` is None where its folder has none."""

    def __init__(self, classifier: Classifier) -> None:
        self._tokenizer, self._embedding = classifier.tokenizer, classifier.embedding
        self.model_version, self.reference = classifier.version, classifier.reference

    def numbers(self, predicted: Iterable[tuple[str, str, float]]) -> list[MailNumbers]:
        """Of (text, label, confidence) each, without the mails in which there is nothing to read."""
        if self._embedding is None:
            return []
        entries = [(text[:MAX_CHARACTERS], label, confidence) for text, label, confidence in predicted]
        encoded = self._tokenizer.encode([text for text, _, _ in entries])
        return [
            MailNumbers(
                label=label,
                confidence=confidence,
                n_tokens=len(tokens.ids),
                unknown_ratio=tokens.unknown_ratio,
                language=identify(text)[0],
                embedding=self._embedding(tokens.ids),
            )
            for (text, label, confidence), tokens in zip(entries, encoded, strict=True)
            if len(tokens.ids)
        ]


def language_shares(mails: Sequence[MailNumbers], trained: Sequence[str]) -> dict[str, float]:
    """Shares of the trained languages and of all others together."""
    counts = Counter(mail.language if mail.language in trained else OTHER_LANGUAGE for mail in mails)
    return {name: counts[name] / len(mails) for name in (*trained, OTHER_LANGUAGE)}
