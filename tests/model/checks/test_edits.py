from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
import yaml

import model.checks.edits
from model.checks.cases import Edit
from model.checks.edits import variants
from model.checks.filler import filler

TEXT = "Anjali here, I paid €18 for a seat upgrade, and $4 for a bag."
LANGUAGES = ("en", "es", "fr", "de", "pt", "it", "nl", "pl", "hi")


def edited(edit: Edit, text: str = TEXT, lang: str = "en", seed: int = 0, names: tuple[str, ...] = ()) -> list[str]:
    return [variant.text for variant in variants(text, edit, lang, random.Random(seed), names)]


def test_a_typo_exchanges_two_neighbouring_letters_inside_one_longer_word() -> None:
    for seed in range(50):
        (typo,) = edited("typo", seed=seed)
        changed = [(old, new) for old, new in zip(TEXT.split(), typo.split(), strict=True) if old != new]
        ((old, new),) = changed
        assert Counter(old) == Counter(new)
        assert sum(a != b for a, b in zip(old, new, strict=True)) == 2
        assert len(re.sub(r"\W", "", old)) >= 5


def test_a_name_becomes_another_and_nothing_else_changes() -> None:
    for seed in range(50):
        (text,) = edited("name", seed=seed)
        name, rest = text.split(" ", 1)
        assert name != "Anjali"
        assert rest == TEXT.split(" ", 1)[1]


def test_a_suites_own_lexicon_of_names_is_heeded() -> None:
    assert edited("name", "Qadira wants the fee back.", names=("Qadira", "Uxue")) == ["Uxue wants the fee back."]


def test_every_currency_becomes_another_and_the_amounts_stay() -> None:
    for seed in range(50):
        (text,) = edited("currency", seed=seed)
        (first, second) = re.findall(r"(\S)(?:18|4)\b", text)
        assert first not in "€$"
        assert second not in "€$"
    assert edited("currency", "I paid 20 euros in EUR.")[0].startswith("I paid 20 ")
    assert re.fullmatch(r"chicken was off, \S6\.40 back", edited("currency", "chicken was off, 6.40 back")[0])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_greeting_signature_and_quoted_thread_leave_the_mail_as_it_is_in_every_language(lang: str) -> None:
    assert edited("greeting", lang=lang)[0].endswith(f"\n\n{TEXT}")
    assert edited("signature", lang=lang)[0].startswith(f"{TEXT}\n\n")
    thread = edited("quoted_thread", lang=lang)[0]
    assert thread.startswith(f"{TEXT}\n\n")
    assert thread.count("\n> ") == 2


@pytest.mark.parametrize(
    ("edit", "text"),
    [("typo", "pay me now"), ("case", "123"), ("name", "the fee back"), ("currency", "the fee back")],
)
def test_an_edit_that_changes_nothing_is_refused(edit: Edit, text: str) -> None:
    with pytest.raises(ValueError, match="field 'edits'"):
        edited(edit, text)


def test_an_edit_in_a_language_without_stock_is_refused() -> None:
    with pytest.raises(ValueError, match="no greetings in 'sv'"):
        edited("greeting", lang="sv")


def test_every_edit_is_made() -> None:
    for edit in get_args(Edit):
        assert edited(edit) != [TEXT]


def test_no_name_stands_in_two_lists() -> None:
    stock = yaml.safe_load(Path(model.checks.edits.__file__).with_name("edits.yaml").read_text(encoding="utf-8"))
    names = [name for names in stock["names"] for name in names]
    assert len(names) == len(set(names))


def test_filler_has_exactly_the_words_asked_for_and_no_sentence_twice() -> None:
    for words in range(2, 301):
        text = filler(words, "en", random.Random(words))
        sentences = re.split(r"(?<=\.)\s+", text)
        assert len(text.split()) == words
        assert len(sentences) == len(set(sentences))
    with pytest.raises(ValueError, match="do not add up to 3000 words"):
        filler(3000, "en", random.Random(0))
