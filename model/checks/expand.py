"""From a case as written to the cases that are run: slots filled, mails lengthened, edits made. A seed fixes it all."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from model.checks.cases import Case, Filler, InvarianceCase
from model.checks.edits import variants
from model.checks.filler import MARK, fill, fillers

SLOT = re.compile(r"\{([A-Za-z_]+)(\d*)\}")
MAX_COMBINATIONS = 1_000_000  # of one template, before it is sampled: they are all made
WORDED = ("text", "a", "b", "add", "changed", "spans", "variants")  # the fields whose words are filled in


def _walk(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_walk(entry, change) for entry in value]
    if isinstance(value, dict):
        return {key: entry if key in ("label", "edit") else _walk(entry, change) for key, entry in value.items()}
    return value


def _rewritten(case: Case, suffix: str, change: Any, **fields: Any) -> Any:
    """The case with every word of its mails changed, under its own id and a suffix."""
    values = case.model_dump()
    values |= {name: _walk(values[name], change) for name in WORDED if name in values}
    return type(case).model_validate({**values, "id": case.id + suffix, **fields})


def _slug(word: str) -> str:
    return re.sub(r"\W+", "-", word.casefold()).strip("-")


def _combinations(case: Case, lexicons: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Every filling of the slots, in the lexicons' order; slots of one lexicon get different words."""
    values = case.model_dump()
    words: list[str] = []
    _walk([values[name] for name in WORDED if name in values], words.append)
    slots = dict.fromkeys(match.group() for word in words for match in SLOT.finditer(word) if match.group() != MARK)
    if not slots:
        raise ValueError("field 'template': the case has no slot such as {fee}")
    lists = []
    for slot in slots:
        name = SLOT.fullmatch(slot).group(1)  # type: ignore[union-attr]
        if name not in lexicons:
            raise ValueError(f"slot {slot}: the suite has no lexicon {name!r}")
        lists.append([(name, word) for word in lexicons[name]])
    if (number := math.prod(map(len, lists))) > MAX_COMBINATIONS:
        raise ValueError(f"field 'template': {number} combinations are over {MAX_COMBINATIONS}")
    found = []
    for chosen in itertools.product(*lists):
        if len({(name, word.casefold()) for name, word in chosen}) == len(chosen):
            found.append(dict(zip(slots, (word for _, word in chosen), strict=True)))
    if not found:
        raise ValueError(f"slots {', '.join(slots)}: the lexicons have too few words to fill them differently")
    return found


def _sample(combinations: list[dict[str, str]], number: int | None, key: str) -> list[dict[str, str]]:
    """A share of them by the hash of their words, so that a longer lexicon leaves most of the others chosen."""
    if number is None or number >= len(combinations):
        return combinations

    def rank(words: dict[str, str]) -> str:
        return hashlib.sha256("\0".join([key, *words.values()]).encode()).hexdigest()

    kept = {rank(words) for words in sorted(combinations, key=rank)[:number]}
    return [words for words in combinations if rank(words) in kept]


def _templates(case: Case, lexicons: Mapping[str, Sequence[str]], seed: int, sample: int | None) -> list[Case]:
    if not case.template:
        return [case]
    number = sample if case.sample is None else case.sample
    chosen = _sample(_combinations(case, lexicons), number, f"{seed}/{case.id}")
    made = []
    for words in chosen:
        suffix = "".join(f"/{_slug(word)}" for word in words.values())
        change = lambda text, words=words: SLOT.sub(lambda slot: words.get(slot.group(), slot.group()), text)  # noqa: E731
        made.append(_rewritten(case, suffix, change, template=False, sample=None))
    return made


def _lengthened(case: Case, seed: int) -> list[Case]:
    if case.filler is None:
        return [case]
    lengths = case.filler.words if isinstance(case.filler.words, list) else [case.filler.words]
    at = case.filler.at
    made = []
    for words in lengths:
        first = case.texts()[0]
        parts = fillers(first, words, at, case.lang, random.Random(f"{seed}/{case.id}/{words}"))
        suffix = f"/{words}" if isinstance(case.filler.words, list) else ""
        change = lambda text, parts=parts: fill(text, parts, at)  # noqa: E731
        values = {"filler": Filler(words=words, at=at)}
        longer = _rewritten(case.model_copy(update={"filler": None}), suffix, change)
        made.append(longer.model_copy(update=values))
    return made


def _edited(case: Case, seed: int, names: Sequence[str]) -> Case:
    if not isinstance(case, InvarianceCase):
        return case
    made = [
        variant
        for edit in case.edits
        for variant in variants(case.text, edit, case.lang, random.Random(f"{seed}/{case.id}/{edit}"), names)
    ]
    return case.model_copy(update={"variants": [*case.variants, *made]})


def expand(case: Case, lexicons: Mapping[str, Sequence[str]], seed: int, sample: int | None) -> list[Case]:
    """The cases that one entry of a suite stands for. Raises ValueError, naming the field, where it cannot be made."""
    return [
        _edited(longer, seed, lexicons.get("name", ()))
        for filled in _templates(case, lexicons, seed, sample)
        for longer in _lengthened(filled, seed)
    ]
