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

    def overlaps(self, other: Span) -> bool:
        """Whether they share a character."""
        return self.start < other.end and other.start < self.end


# A word with its apostrophes and hyphens inside, or one sign alone.
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s]")
BLANK_LINE = re.compile(r"\n\s*\n")
# Probability of any role at all; both measured on development mails.
SEED = 0.45  # for a word to begin a span
NEIGHBOUR = 0.3  # of the beginning word's, for words next to it to join


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
    """A word that likely has some role and its likely neighbours are one span, of the role likeliest over all of them.

    Two thresholds, as edges are followed in images (Canny 1986): one for all words either cuts phrases short or marks
    stray words. offsets (tokens, 2), probabilities (tokens, roles), the first role being none. Signs and blank lines
    part spans. A span's confidence is its role's mean probability over its words.
    """
    words = [match.span() for match in WORD.finditer(text)]
    if not words or not len(offsets):
        return ()
    means = word_probabilities(words, offsets, probabilities)
    marked = means[:, 1:].sum(axis=1)
    marked[[not text[start].isalnum() for start, _ in words]] = 0.0
    spans: list[Span] = []
    for seed in np.argsort(-marked, kind="stable"):
        if marked[seed] <= SEED:  # unlikely, or in a span by now
            continue
        first, stop = _grown(text, words, marked, int(seed))
        share = means[first:stop, 1:].mean(axis=0)
        role = int(share.argmax())
        start, end = words[first][0], words[stop - 1][1]
        spans.append(Span(roles[1 + role], text[start:end], start, end, float(share[role])))
        marked[first:stop] = 0.0
    return tuple(sorted(spans, key=lambda span: span.start))


def _grown(text: str, words: list[tuple[int, int]], marked: npt.NDArray[np.float64], seed: int) -> tuple[int, int]:
    """First word and end of the words around the seed that are over NEIGHBOUR times as likely to be marked."""
    least = NEIGHBOUR * marked[seed]

    def joined(word: int) -> bool:
        """Whether no blank line, as between subject and body, lies before the word."""
        return BLANK_LINE.search(text, words[word - 1][1], words[word][0]) is None

    first, stop = seed, seed + 1
    while first > 0 and marked[first - 1] > least and joined(first):
        first -= 1
    while stop < len(marked) and marked[stop] > least and joined(stop):
        stop += 1
    return first, stop
