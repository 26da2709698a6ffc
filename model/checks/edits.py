"""Edits that a reader would not heed: greeting, signature, typo, case, name, currency, quoted thread.

Each is a function of the text, the language and a random generator, so that a seed fixes it. An edit that finds
nothing to change is a ValueError: a case that edits nothing would pass without having asked anything.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from model.checks.cases import Edit, Variant

TYPO_LETTERS = 5  # words shorter than this become other words too easily
BARE_AMOUNT = re.compile(r"(?<![\w.,])\d+[.,]\d\d(?![\w.,]*\d)")  # 6.40, which gets a sign where there is none at all


@cache
def _stock() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("edits.yaml").read_text(encoding="utf-8"))
    return found


def _of_language(kind: str, lang: str) -> Any:
    entries = _stock()[kind]
    if lang not in entries:
        raise ValueError(f"field 'edits': there are no {kind} in {lang!r} (there are: {', '.join(sorted(entries))})")
    return entries[lang]


def _typo(text: str, rng: random.Random) -> str:
    """Two neighbouring letters inside one word change places."""
    places = [
        place
        for word in re.finditer(rf"[^\W\d_]{{{TYPO_LETTERS},}}", text)
        for place in range(word.start() + 1, word.end() - 2)
        if text[place].casefold() != text[place + 1].casefold()
    ]
    if not places:
        raise ValueError(f"field 'edits': typo: no word has {TYPO_LETTERS} letters")
    place = rng.choice(places)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def _exchanged(text: str, lists: Sequence[Sequence[str]], rng: random.Random, whole_words: bool) -> str:
    """Every word of the text that stands in a list becomes another of that list; one and the same for the same word."""
    for entries in lists:
        chosen: dict[str, str] = {}
        for entry in entries:
            pattern = rf"(?<!\w){re.escape(entry)}(?!\w)" if whole_words else re.escape(entry)
            if re.search(pattern, text):
                chosen[pattern] = rng.choice([other for other in entries if other not in text])
        marks = {pattern: f"\0{number}\0" for number, pattern in enumerate(chosen)}
        for pattern, mark in marks.items():  # by way of marks, so that no word is exchanged twice
            text = re.sub(pattern, mark, text)
        for pattern, mark in marks.items():
            text = text.replace(mark, chosen[pattern])
    return text


def _name(text: str, rng: random.Random, extra: Sequence[str]) -> str:
    lists = [*_stock()["names"], *([extra] if len(extra) > 1 else [])]
    return _exchanged(text, lists, rng, whole_words=True)


def _currency(text: str, rng: random.Random) -> str:
    currencies = _stock()["currencies"]
    if not any(sign in text for sign in currencies["signs"]):
        text = BARE_AMOUNT.sub(lambda amount: rng.choice(currencies["signs"][:4]) + amount.group(), text)
    else:
        text = _exchanged(text, [currencies["signs"]], rng, whole_words=False)
    return _exchanged(text, [currencies["codes"], currencies["words"]], rng, whole_words=True)


def variants(text: str, edit: Edit, lang: str, rng: random.Random, names: Sequence[str]) -> list[Variant]:
    """What one edit makes of a text; `case` makes two, capitals and small letters. names: a suite's own lexicon."""
    made: list[tuple[str, str]]
    if edit == "greeting":
        made = [(edit, f"{rng.choice(_of_language('greetings', lang))}\n\n{text}")]
    elif edit == "signature":
        made = [(edit, f"{text}\n\n{rng.choice(_of_language('signatures', lang))}")]
    elif edit == "quoted_thread":
        made = [(edit, f"{text}\n\n{_of_language('quoted_threads', lang)}")]
    elif edit == "typo":
        made = [(edit, _typo(text, rng))]
    elif edit == "case":
        made = [("capitals", text.upper()), ("small letters", text.lower())]
        made = [(name, changed) for name, changed in made if changed != text]
    elif edit == "name":
        made = [(edit, _name(text, rng, names))]
    else:
        made = [(edit, _currency(text, rng))]
    if not made or any(changed == text for _, changed in made):
        raise ValueError(f"field 'edits': {edit} finds nothing to change in the text")
    return [Variant(edit=name, text=changed) for name, changed in made]
