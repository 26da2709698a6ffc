"""Per-token roles to marked words of the mail."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Span:
    """Words with a role; start and end are character offsets into the text that was read."""

    role: str
    text: str
    start: int
    end: int
    confidence: float


# A word with its apostrophes and hyphens inside, or one sign alone.
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s]")
LEAST_ROLE = 0.4  # probability of any role at all, for a word to be marked; measured on development mails


def word_probabilities(
    words: list[tuple[int, int]], offsets: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Mean over the tokens that touch each word: (words, roles). A word without a token has no role."""
    sums = np.zeros((len(words), probabilities.shape[1]))
    counts = np.zeros(len(words))
    first = 0
    for (start, end), row in zip(offsets.tolist(), probabilities, strict=False):
        while first < len(words) and words[first][1] <= start:
            first += 1
        word = first
        while word < len(words) and words[word][0] < end:
            sums[word] += row
            counts[word] += 1
            word += 1
    return sums / np.maximum(counts, 1)[:, None]


def decode_spans(
    text: str, offsets: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float32], roles: tuple[str, ...]
) -> tuple[Span, ...]:
    """Neighbouring words that have some role are one span, of the role that is likeliest over all of them.

    offsets (tokens, 2), probabilities (tokens, roles), the first role being none. Signs part spans. A span's
    confidence is its role's mean probability over its words.
    """
    words = [match.span() for match in WORD.finditer(text)]
    if not words or not len(offsets):
        return ()
    means = word_probabilities(words, offsets, probabilities)
    marked = [means[n, 1:].sum() > LEAST_ROLE and text[start].isalnum() for n, (start, _) in enumerate(words)]
    spans: list[Span] = []
    first = 0
    while first < len(words):
        stop = first
        while stop < len(words) and marked[stop]:
            stop += 1
        if stop > first:
            share = means[first:stop, 1:].mean(axis=0)
            role = int(share.argmax())
            start, end = words[first][0], words[stop - 1][1]
            spans.append(Span(roles[1 + role], text[start:end], start, end, float(share[role])))
        first = max(stop, first + 1)
    return tuple(spans)
