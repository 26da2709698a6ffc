"""Neutral sentences of an exact number of words, from filler.yaml."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import yaml

from model.checks.cases import Place

MARK = "{filler}"
PARAGRAPH = 6  # sentences
TRIES = 200


@cache
def _sentences() -> dict[str, list[str]]:
    found: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("filler.yaml").read_text(encoding="utf-8"))
    return found


def filler(words: int, lang: str, rng: random.Random) -> str:
    """Sentences of exactly so many words together, none twice. ValueError where the language has too few."""
    if lang not in _sentences():
        raise ValueError(f"field 'filler': there are no filler sentences in {lang!r} (there are: {_known()})")
    for _ in range(TRIES):
        pool = rng.sample(_sentences()[lang], len(_sentences()[lang]))
        chosen: list[str] = []
        left = words
        for sentence in pool:
            size = len(sentence.split())
            if size == left or size <= left - 2:  # no sentence has one word, so one word may not be left over
                chosen.append(sentence)
                left -= size
        if not left:
            breaks = range(0, len(chosen), PARAGRAPH)
            return "\n\n".join(" ".join(chosen[start : start + PARAGRAPH]) for start in breaks)
    raise ValueError(f"field 'filler': the sentences in {lang!r} do not add up to {words} words")


def _known() -> str:
    return ", ".join(sorted(_sentences()))


def fillers(text: str, words: int, at: Place, lang: str, rng: random.Random) -> list[str]:
    """One filler for each place where the text takes one: its marks, or before and after it."""
    places = text.count(MARK) or (2 if at in ("middle", "both") else 1)
    shares = [words // places + (place < words % places) for place in range(places)]
    if min(shares) < 2:
        raise ValueError(f"field 'filler': {words} words cannot be shared among {places} places")
    return [filler(share, lang, rng) for share in shares]


def fill(text: str, parts: list[str], at: Place) -> str:
    """The text with its fillers. ValueError where it has another number of marks than there are fillers."""
    pieces = text.split(MARK)
    if len(pieces) > 1:
        if len(pieces) - 1 != len(parts):
            raise ValueError(f"field 'filler': both texts of a case need as many {MARK} marks")
        return "".join(piece + part for piece, part in zip(pieces, [*parts, ""], strict=True))
    if at == "start":
        return f"{text}\n\n{parts[0]}"
    if at == "end":
        return f"{parts[0]}\n\n{text}"
    if at == "middle":
        return f"{parts[0]}\n\n{text}\n\n{parts[1]}"
    raise ValueError(f"field 'filler': at {at!r} needs the mark {MARK} in the text")
