from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
