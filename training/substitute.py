"""Other things named in a hand-written frame: its refund and keep phrases exchanged, or others put in their place.

Minimal edits whose label is known teach what a frame means apart from what it names (Kaushik et al. 2020,
counterfactually augmented data). Only mails whose marked phrases are known to be fees or items take part.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Literal

from training.data import Mail
from training.generator import Lexicon
from training.markup import MarkedSpan

Kind = Literal["fee", "item"]
EDITED_LABELS = frozenset({"refund_fee", "refund_item"})


def put(mail: Mail, phrases: list[str]) -> Mail:
    """The mail with its spans' words replaced, in the order of mail.spans; offsets move along."""
    pieces, spans, read, length = [], [], 0, 0
    for span, words in zip(mail.spans, phrases, strict=True):
        before = mail.text[read : span.start]
        length += len(before)
        spans.append(MarkedSpan(span.role, length, length + len(words)))
        length += len(words)
        pieces += [before, words]
        read = span.end
    return replace(mail, text="".join([*pieces, mail.text[read:]]), spans=tuple(spans))


def _like(phrase: str, model: str) -> str:
    """The phrase cased as the one whose place it takes."""
    if model.isupper() and len(model) > 1:
        return phrase.upper()
    return phrase[0].upper() + phrase[1:] if model[0].isupper() else phrase


class Substituter:
    """Edits mails by a lexicon of fees and items; the same edits for the same random numbers."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._phrases: dict[Kind, tuple[str, ...]] = {"fee": lexicon.fees, "item": lexicon.items}
        self._kinds: dict[str, Kind] = {phrase: kind for kind, group in self._phrases.items() for phrase in group}
        heads: dict[str, Counter[Kind]] = {}
        for phrase, kind in self._kinds.items():
            heads.setdefault(phrase.split()[-1], Counter())[kind] += 1
        self._heads = {head: kinds for head, kinds in heads.items() if len(kinds) == 1}

    def kind(self, phrase: str) -> Kind | None:
        """Fee or item, by the whole phrase or else by a last word that only ever ends one of the two."""
        known = self._kinds.get(phrase.lower())
        if known is not None or not phrase.split():
            return known
        kinds = self._heads.get(phrase.lower().split()[-1])
        return next(iter(kinds)) if kinds is not None and kinds.total() > 1 else None

    def _kinds_of(self, mail: Mail) -> list[Kind] | None:
        """Each span's kind, where all are known, each phrase stands once and the label agrees with them."""
        words = [mail.text[span.start : span.end] for span in mail.spans]
        lower = mail.text.lower()
        if not words or any(lower.count(word.lower()) != 1 for word in words):
            return None
        kinds = [self.kind(word) for word in words]
        known = [kind for kind in kinds if kind is not None]
        agrees = len(known) == len(kinds) and mail.label == _label(mail.spans, known)
        return known if agrees else None

    def exchange(self, mail: Mail) -> Mail | None:
        """The mail with its one refund phrase and its one keep phrase exchanged, labelled anew; None where unfit."""
        if mail.label not in EDITED_LABELS or [s.role for s in mail.spans] not in (
            ["refund", "keep"],
            ["keep", "refund"],
        ):
            return None
        kinds = self._kinds_of(mail)
        if kinds is None:
            return None
        first, second = (mail.text[span.start : span.end] for span in mail.spans)
        swapped = put(mail, [_like(second.lower(), first), _like(first.lower(), second)])
        return replace(swapped, label=_label(swapped.spans, kinds[::-1]), pair=None)

    def substitute(self, mail: Mail, rng: random.Random) -> Mail | None:
        """The mail with each phrase replaced by another of its kind; None where unfit."""
        if mail.label not in EDITED_LABELS or mail.lang != "en":
            return None
        kinds = self._kinds_of(mail)
        if kinds is None:
            return None
        words = [mail.text[span.start : span.end] for span in mail.spans]
        drawn = [_like(rng.choice(self._phrases[kind]), word) for kind, word in zip(kinds, words, strict=True)]
        return replace(put(mail, drawn), pair=None)


def _label(spans: tuple[MarkedSpan, ...], kinds: list[Kind]) -> str:
    """Fees alone make refund_fee; any goods make refund_item (LABELS, 'When two fit', 5)."""
    wanted = [kind for span, kind in zip(spans, kinds, strict=True) if span.role == "refund"]
    return "refund_fee" if wanted and set(wanted) == {"fee"} else "refund_item"
