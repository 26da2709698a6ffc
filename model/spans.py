"""Per-token roles to marked words of the mail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.config import NO_ROLE


@dataclass(frozen=True)
class Span:
    """Words with a role; start and end are character offsets into the text that was read."""

    role: str
    text: str
    start: int
    end: int
    confidence: float


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "_'’"


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen to word borders, then drop punctuation and space at both ends."""
    while start > 0 and _in_word(text[start]) and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end - 1]) and _in_word(text[end]):
        end += 1
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return start, end


def decode_spans(
    text: str, offsets: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float32], roles: tuple[str, ...]
) -> tuple[Span, ...]:
    """Join neighbouring tokens of one role into whole words.

    offsets (tokens, 2), probabilities (tokens, roles). A span's confidence is the mean over its tokens.
    """
    best = probabilities.argmax(axis=1)
    spans: list[Span] = []
    token = 0
    while token < len(best):
        role = int(best[token])
        stop = token + 1
        while stop < len(best) and best[stop] == role:
            stop += 1
        if roles[role] != NO_ROLE:
            start, end = _whole_words(text, int(offsets[token, 0]), int(offsets[stop - 1, 1]))
            overlaps = spans and start < spans[-1].end
            if start < end and not overlaps:
                confidence = float(probabilities[token:stop, role].mean())
                spans.append(Span(roles[role], text[start:end], start, end, confidence))
        token = stop
    return tuple(spans)
