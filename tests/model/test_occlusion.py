from __future__ import annotations

import pytest

from model.classifier import Classifier
from model.occlusion import MAX_REST, MAX_WORDS, occlude

TEXT = "please, refund the fee"


def test_a_words_influence_is_the_labels_fall_without_it(tiny_classifier: Classifier) -> None:
    label = tiny_classifier.predict([TEXT])[0].label
    column = tiny_classifier.classes.index(label)
    found = {entry.text: entry for entry in occlude(tiny_classifier, TEXT, label)}
    assert set(found) == {"please", "refund", "the", "fee"}
    whole, without = tiny_classifier.predict_proba([TEXT, "please, refund the "])[:, column]
    assert found["fee"].drop == pytest.approx(float(whole - without), abs=1e-6)
    assert TEXT[found["fee"].start : found["fee"].end] == "fee"


def test_the_most_moving_come_first_and_a_long_mail_is_read_only_so_often(tiny_classifier: Classifier) -> None:
    found = occlude(tiny_classifier, "fee cake " * 100, "other", start=9)
    assert len(found) == MAX_WORDS
    assert min(entry.start for entry in found) == 9
    assert [abs(entry.drop) for entry in found] == sorted((abs(entry.drop) for entry in found), reverse=True)


def test_of_a_mail_of_any_length_only_what_is_near_the_words_is_read(tiny_classifier: Classifier) -> None:
    near = "fee cake " * MAX_WORDS + "y" * MAX_REST
    read = occlude(tiny_classifier, near, "other")
    assert occlude(tiny_classifier, near + " refund" * 10_000, "other") == read


def test_a_text_without_words_has_none_that_matter(tiny_classifier: Classifier) -> None:
    assert occlude(tiny_classifier, " ,.! ", "other") == []
