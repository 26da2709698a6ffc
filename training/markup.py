"""Span markup of labelled mails: `Refund the [refund:fee], not the [keep:cake].`"""

from __future__ import annotations

import re
from dataclasses import dataclass

MARK = re.compile(r"\[(refund|keep|replace):([^\[\]]+)\]")
BROKEN = re.compile(r"\[(?:refund|keep|replace)\b")


class MarkupError(ValueError):
    """Markup that does not parse; says what and where."""


@dataclass(frozen=True)
class MarkedSpan:
    """A gold span; offsets are in characters of the text without markup."""

    role: str
    start: int
    end: int


def parse(marked: str) -> tuple[str, tuple[MarkedSpan, ...]]:
    """The text without markup and its spans in order. Raises MarkupError for an unclosed or nested mark."""
    pieces: list[str] = []
    spans: list[MarkedSpan] = []
    read = length = 0
    for match in MARK.finditer(marked):
        before, words = marked[read : match.start()], match.group(2)
        length += len(before)
        spans.append(MarkedSpan(match.group(1), length, length + len(words)))
        pieces += [before, words]
        length += len(words)
        read = match.end()
        if words != words.strip():
            raise MarkupError(f"the mark {match.group(0)!r} begins or ends with a space")
    pieces.append(marked[read:])
    text = "".join(pieces)
    if broken := BROKEN.search(text):
        raise MarkupError(f"a mark is not closed or is nested at {text[broken.start() : broken.start() + 20]!r}")
    return text, tuple(spans)


def render(text: str, spans: tuple[MarkedSpan, ...]) -> str:
    """The inverse of parse."""
    out, read = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        out += [text[read : span.start], f"[{span.role}:{text[span.start : span.end]}]"]
        read = span.end
    return "".join([*out, text[read:]])
