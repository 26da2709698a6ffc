from __future__ import annotations

import numpy as np
import pytest

from model.config import ROLES
from model.spans import decode_spans
from model.tokenizer import cut_windows


def decode(text: str, tokens: list[tuple[int, int, int]]) -> list[tuple[str, str]]:
    """tokens: (start, end, index of the role)."""
    offsets = np.array([token[:2] for token in tokens]).reshape(-1, 2)
    probabilities = np.full((len(tokens), len(ROLES)), 0.05, dtype=np.float32)
    for row, (*_, role) in enumerate(tokens):
        probabilities[row, role] = 0.85
    return [(span.role, span.text) for span in decode_spans(text, offsets, probabilities, ROLES)]


def test_neighbouring_tokens_of_a_role_are_one_span() -> None:
    tokens = [(0, 6, 0), (7, 15, 1), (16, 19, 1), (20, 23, 0), (24, 28, 2)]
    assert decode("refund delivery fee not cake", tokens) == [("refund", "delivery fee"), ("keep", "cake")]


def test_a_word_is_marked_whole_and_loses_its_punctuation() -> None:
    tokens = [(0, 4, 1), (4, 8, 1), (8, 9, 1), (9, 13, 0)]  # the last token has its space in front
    assert decode("saltfish, bad", tokens) == [("refund", "saltfish")]


def test_a_word_of_which_half_the_tokens_have_a_role_has_it() -> None:
    assert decode("saltfish bad", [(0, 4, 0), (4, 8, 1), (8, 12, 0)]) == [("refund", "saltfish")]
    assert decode("saltfishes bad", [(0, 3, 0), (3, 6, 0), (6, 8, 0), (8, 10, 1), (10, 14, 0)]) == []


def test_likely_neighbours_join_a_word_that_begins_a_span_and_alone_begin_none() -> None:
    def read(fee: float, cake: float) -> list[str]:
        offsets = np.array([(0, 4), (5, 13), (14, 17), (18, 21), (22, 26)])
        refund = np.array([0.02, 0.9, fee, 0.02, cake], dtype=np.float32)
        probabilities = np.stack([1 - refund, refund, 0 * refund, 0 * refund], axis=1)
        return [span.text for span in decode_spans("back delivery fee not cake", offsets, probabilities, ROLES)]

    assert read(fee=0.3, cake=0.3) == ["delivery fee"]
    assert read(fee=0.2, cake=0.5) == ["delivery", "cake"]


def test_unbroken_words_of_two_roles_are_one_span_of_the_likelier() -> None:
    assert decode("damage waiver fee", [(0, 6, 1), (7, 13, 2), (14, 17, 1)]) == [("refund", "damage waiver fee")]


def test_a_sign_parts_two_spans_and_a_hyphen_inside_a_word_does_not() -> None:
    assert decode("cake, mug", [(0, 4, 1), (4, 5, 1), (6, 9, 1)]) == [("refund", "cake"), ("refund", "mug")]
    assert decode("add-on", [(0, 3, 1), (3, 4, 1), (4, 6, 1)]) == [("refund", "add-on")]


def test_a_blank_line_parts_two_spans_and_a_line_break_does_not() -> None:
    assert decode("cake\n\nmug", [(0, 4, 1), (6, 9, 1)]) == [("refund", "cake"), ("refund", "mug")]
    assert decode("cake\n  \nmug", [(0, 4, 1), (8, 11, 1)]) == [("refund", "cake"), ("refund", "mug")]
    assert decode("cake\nmug", [(0, 4, 1), (5, 8, 1)]) == [("refund", "cake\nmug")]


def test_tokens_of_punctuation_alone_make_no_span() -> None:
    assert decode("a , b", [(0, 1, 0), (2, 3, 1), (4, 5, 0)]) == []
    assert decode("", []) == []


@pytest.mark.parametrize(("tokens", "capacity"), [(0, 30), (1, 30), (30, 30), (31, 30), (500, 30), (77, 8)])
def test_windows_cover_every_token_and_own_each_once(tokens: int, capacity: int) -> None:
    windows = cut_windows(0, tokens, capacity)
    owned = [token for window in windows for token in range(window.own_start, window.own_stop)]
    assert owned == list(range(tokens))
    for window in windows:
        assert window.stop - window.start <= capacity
        assert window.start <= window.own_start <= window.own_stop <= window.stop
