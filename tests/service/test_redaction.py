from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service import private_numbers
from service.private_numbers import found
from service.redaction import redact
from tests.service.cases_redaction import GONE, STAYS


def plain(case: str) -> str:
    return re.sub(r"[{}]", "", case)


def hidden(case: str) -> str:
    return re.sub(r"\{(.*?)\}", lambda match: re.sub(r"[^\W_]", "*", match.group(1)), case)


@pytest.mark.parametrize("case", GONE)
def test_what_must_not_be_kept_goes_and_the_words_around_it_stay(case: str) -> None:
    assert redact(plain(case)) == hidden(case)


@pytest.mark.parametrize("case", STAYS)
def test_order_numbers_amounts_and_dates_stay(case: str) -> None:
    assert redact(case) == case


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*map(plain, GONE), *STAYS, "a", " ", "@", "+", "\n", "é🎂"])).map(" ".join))
def test_a_text_keeps_its_length_and_all_but_letters_and_digits(text: str) -> None:
    redacted = redact(text)
    assert len(redacted) == len(text)
    for before, after in zip(text, redacted, strict=True):
        assert after == before or (after == "*" and before.isalnum())


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    assert len(redact(text)) == len(text)
    for start, end in found(text):
        assert 0 <= start < end <= len(text)


class Counted:
    """A function that counts how often it is asked."""

    def __init__(self, asked: Callable[..., Any]) -> None:
        self.asked, self.count = asked, 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.count += 1
        return self.asked(*given, **named)


HOSTILE = {
    "_is_iban": "DE89 3704 0044 0532 0130 01 ",
    "_is_card": "4111111111111112,",
    "_is_numbered": "order 12345678\n",
    "_is_phone": "+44 7700 900124 ",
}


@pytest.mark.parametrize(("look", "shape"), HOSTILE.items())
def test_twice_the_text_costs_no_second_look_at_what_takes_time(
    monkeypatch: pytest.MonkeyPatch, look: str, shape: str
) -> None:
    counts = []
    for times in (5_000, 10_000):
        with monkeypatch.context() as patch:
            counted = Counted(getattr(private_numbers, look))
            patch.setattr(private_numbers, look, counted)
            masked = redact(shape * times)
        counts.append(counted.count)
        assert "****" in masked[-60:], "what is past the limit goes unlooked at"
    assert counts[0] == counts[1] > 0


def test_many_order_numbers_and_dates_stay() -> None:
    text = "order 12345678 of 2026-11-30\n" * 900
    assert redact(text) == text
