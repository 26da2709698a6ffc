from __future__ import annotations

import random

import pytest

from model.classifier import Classifier
from model.explain import arrange, words_of

TEXT = "Refund the delivery fee, not the cake."


def test_words_are_runs_of_letters_and_single_signs(tiny_classifier: Classifier) -> None:
    broken = tiny_classifier.explainer.split(TEXT)
    assert [word.text for word in broken.words] == ["Refund", "the", "delivery", "fee", ",", "not", "the", "cake", "."]
    assert all(TEXT[word.start : word.end] == word.text for word in broken.words)


@pytest.mark.parametrize(
    ("text", "offsets", "words", "owners"),
    [
        # a token over two signs makes them one word
        ("no...", [(0, 2), (2, 4), (4, 5)], ["no", "..", "."], (0, 1, 2)),
        # a token that begins with the space before it, and one of a space alone
        ("a b", [(0, 1), (1, 3)], ["a", "b"], (0, 1)),
        ("a b", [(0, 1), (1, 2), (2, 3)], ["a", "b"], (0, 1, 1)),
        # a token over a word and a sign, then a token inside what they became
        ("ab, c", [(0, 1), (1, 3), (3, 5)], ["ab,", "c"], (0, 0, 1)),
        ("   ", [], [], ()),
    ],
)
def test_each_token_has_one_word(
    text: str, offsets: list[tuple[int, int]], words: list[str], owners: tuple[int, ...]
) -> None:
    found, word_of = words_of(text, offsets)
    assert ([word.text for word in found], word_of) == (words, owners)


def test_as_written_is_the_text_itself_and_signs_stay_close(tiny_classifier: Classifier) -> None:
    broken = tiny_classifier.explainer.split(TEXT)
    assert arrange(TEXT, broken.words, range(9))[0] == TEXT
    swapped, starts = arrange(TEXT, broken.words, [0, 1, 7, 4, 5, 6, 2, 3, 8])
    assert swapped == "Refund the cake, not the delivery fee."
    assert [swapped[at : at + len(w.text)] for at, w in zip(starts, broken.words, strict=True)] == [
        word.text for word in broken.words
    ]


def test_any_arrangement_has_the_same_tokens_and_their_offsets_name_the_same_letters(
    tiny_classifier: Classifier,
) -> None:
    explainer = tiny_classifier.explainer
    broken = explainer.split(TEXT)
    order = list(range(len(broken.words)))
    written = explainer.read(broken)
    pieces = {(token.word, token.piece, written.text[token.start : token.end]) for token in written.tokens}
    for seed in range(10):
        random.Random(seed).shuffle(order)
        reading = explainer.read(broken, order=order)
        assert {(t.word, t.piece, reading.text[t.start : t.end]) for t in reading.tokens} == pieces
        assert [token.position for token in reading.tokens] == list(range(len(reading.tokens)))


def test_with_positions_off_any_arrangement_gives_the_same_answer_to_the_last_digit(
    tiny_classifier: Classifier,
) -> None:
    explainer = tiny_classifier.explainer
    broken = explainer.split(TEXT)
    written = explainer.read(broken, positions=False)
    order = list(range(len(broken.words)))
    for seed in range(20):
        random.Random(seed).shuffle(order)
        assert explainer.read(broken, order=order, positions=False).probabilities == written.probabilities


@pytest.mark.parametrize("order", [[0, 1], [0, 0, 1, 2, 3], [5, 1, 2, 3, 4]])
def test_an_order_that_is_none_is_refused(tiny_classifier: Classifier, order: list[int]) -> None:
    broken = tiny_classifier.explainer.split("refund the fee not cake")
    with pytest.raises(ValueError, match="each of the words 0 to 4 once"):
        tiny_classifier.explainer.read(broken, order=order)
