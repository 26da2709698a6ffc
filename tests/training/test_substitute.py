from __future__ import annotations

import random

import pytest

from training.data import Mail
from training.generator import Lexicon
from training.markup import parse, render
from training.substitute import Substituter

LEXICON = Lexicon(fees=("delivery fee", "service charge", "late charge"), items=("cake", "blue mug", "red mug"))


def mail(label: str, marked: str, **details: str) -> Mail:
    text, spans = parse(marked)
    return Mail(text, label, spans, **details)


def test_exchanging_the_phrases_turns_the_label_and_keeps_the_frame() -> None:
    swapped = Substituter(LEXICON).exchange(
        mail("refund_fee", "Give back the [refund:delivery fee], not the [keep:cake].")
    )
    assert swapped is not None
    assert swapped.label == "refund_item"
    assert render(swapped.text, swapped.spans) == "Give back the [refund:cake], not the [keep:delivery fee]."


def test_two_items_exchanged_keep_their_label() -> None:
    swapped = Substituter(LEXICON).exchange(mail("refund_item", "[keep:Blue mug]: fine. [refund:red mug]: money back."))
    assert swapped is not None
    assert swapped.label == "refund_item"
    assert render(swapped.text, swapped.spans) == "[keep:Red mug]: fine. [refund:blue mug]: money back."


def test_a_last_word_that_only_fees_have_tells_the_kind() -> None:
    substituter = Substituter(LEXICON)
    assert substituter.kind("storage charge") == "fee"
    assert substituter.kind("green mug") == "item"
    assert substituter.kind("sofa") is None


@pytest.mark.parametrize(
    "unfit",
    [
        mail(
            "refund_fee", "The [refund:delivery fee] back. I said: the delivery fee, not the [keep:cake]."
        ),  # named twice
        mail("refund_item", "Refund the [refund:sofa], not the [keep:cake]."),  # of unknown kind
        mail("refund_order", "Refund the [refund:cake], not the [keep:delivery fee]."),  # the label says otherwise
        mail("replacement", "Another [replace:cake], please."),
        mail("refund_item", "Money back, please."),
    ],
)
def test_mails_whose_edit_would_be_a_guess_are_left_alone(unfit: Mail) -> None:
    substituter = Substituter(LEXICON)
    assert substituter.exchange(unfit) is None
    assert substituter.substitute(unfit, random.Random(0)) is None


def test_substitutes_are_of_the_same_kind_and_marked_where_they_stand() -> None:
    substituter, rng = Substituter(LEXICON), random.Random(0)
    for _ in range(20):
        drawn = substituter.substitute(
            mail("refund_fee", "The [refund:Delivery fee] back, the [keep:cake] stays."), rng
        )
        assert drawn is not None
        refund, keep = (drawn.text[span.start : span.end] for span in drawn.spans)
        assert refund.lower() in LEXICON.fees
        assert refund[0].isupper()
        assert keep in LEXICON.items
        assert drawn.label == "refund_fee"


def test_phrases_of_this_language_are_not_put_into_another() -> None:
    french = mail("refund_fee", "Rendez-moi les [refund:delivery fee].", lang="fr")
    assert Substituter(LEXICON).substitute(french, random.Random(0)) is None
