"""Verdicts on answers that are made by hand, so that each border is stood on."""

from __future__ import annotations

from typing import Any

import pytest

from model.checks.cases import Case, DirectionalCase, InvarianceCase, MinimumCase, Side, StructuralCase, SwapCase
from model.checks.judge import ALONE_TOLERANCE, SHUFFLES, Answer, asks, judge
from model.checks.results import CaseResult
from model.classifier import Prediction
from model.config import LABELS
from model.spans import Span

FEE, ITEM = "refund_fee", "refund_item"


def answer(label: str, confidence: float = 0.9, spans: tuple[Span, ...] = (), decision: str | None = None) -> Answer:
    rest = (1 - confidence) / (len(LABELS) - 1)
    probabilities = {label: confidence, **{other: rest for other in LABELS if other != label}}
    return Answer(Prediction(label, confidence, probabilities, spans, False, 5, 0.0), 0.01, decision)


def swap(**fields: Any) -> SwapCase:
    sides = {"a": Side(text="fee not cake", label=FEE), "b": Side(text="cake not fee", label=ITEM)}
    return SwapCase.model_validate({"id": "s", "kind": "swap", **sides, **fields})


def verdict(case: Case, *answers: Answer) -> CaseResult:
    assert len(answers) == len(asks(case))
    return judge(case, answers)


def test_a_swap_passes_with_both_labels_and_an_order_gap() -> None:
    result = verdict(swap(), answer(FEE), answer(ITEM))
    assert (result.passed, result.reason) == (True, "")
    assert result.order_gap == pytest.approx(0.9 - 0.1 / 9)
    assert [reading.name for reading in result.readings] == ["a", "b"]
    assert result.seconds == pytest.approx(0.02)


def test_the_mistake_of_the_story_fails_with_a_gap_of_zero() -> None:
    result = verdict(swap(), answer(ITEM, 0.87), answer(ITEM, 0.87))
    assert not result.passed
    assert result.reason == "a read as refund_item; order gap 0.00 is under 0.50"


def test_right_labels_that_are_close_together_fail_by_the_gap() -> None:
    gap = 0.55 - 0.45 / 9
    assert verdict(swap(min_order_gap=gap), answer(FEE, 0.55), answer(ITEM, 0.55)).passed
    result = verdict(swap(min_order_gap=gap + 0.01), answer(FEE, 0.55), answer(ITEM, 0.55))
    assert result.reason == "order gap 0.50 is under 0.51"


def invariance(**fields: Any) -> InvarianceCase:
    variants = [{"edit": "greeting", "text": "hi, fee back"}, {"edit": "capitals", "text": "FEE BACK"}]
    return InvarianceCase.model_validate(
        {"id": "i", "kind": "invariance", "text": "fee back", "variants": variants, **fields}
    )


def test_an_invariance_names_every_edit_that_changed_the_label() -> None:
    case = invariance(label=FEE)
    assert verdict(case, answer(FEE), answer(FEE), answer(FEE)).passed
    assert verdict(case, answer(FEE), answer(ITEM), answer("other")).reason == (
        "greeting read as refund_item; capitals read as other"
    )


def test_an_invariance_with_a_label_fails_where_all_are_wrong_alike_and_one_without_passes() -> None:
    wrong = [answer(ITEM)] * 3
    assert not verdict(invariance(label=FEE), *wrong).passed
    assert verdict(invariance(), *wrong).passed


def test_a_minimum_wants_label_spans_and_decision() -> None:
    case = MinimumCase.model_validate(
        {"id": "m", "kind": "minimum", "text": "Refund the Tip", "label": FEE, "spans": {"refund": ["tip"]}}
    )
    tip = Span("refund", "Tip", 11, 14, 0.9)
    assert verdict(case, answer(FEE, spans=(tip,))).passed
    kept = Span("keep", "Tip", 11, 14, 0.9)
    assert verdict(case, answer(FEE, spans=(kept,))).reason == "refund span 'tip' not found (found: none)"
    deciding = case.model_copy(update={"decision": "auto"})
    assert asks(deciding)[0].decide
    assert not asks(case)[0].decide
    reviewed = answer(FEE, spans=(tip,), decision="review")
    assert verdict(deciding, reviewed).reason == "decision is review, not auto"


@pytest.mark.parametrize(
    ("by", "before", "after", "passed"),
    [(0.2, 0.5, 0.75, True), (0.3, 0.5, 0.75, False), (-0.2, 0.75, 0.5, True), (-0.3, 0.75, 0.5, False),
     (0.2, 0.75, 0.5, False), (-0.2, 0.5, 0.75, False)],
)  # fmt: skip
def test_a_directional_wants_the_probability_to_move_so_far_and_that_way(
    by: float, before: float, after: float, passed: bool
) -> None:
    case = DirectionalCase(id="d", kind="directional", text="x", add="y", label=FEE, by=by)
    result = verdict(case, answer(FEE, before), answer(FEE, after))
    assert result.passed is passed
    assert ("" if passed else "rise" if by > 0 else "fall") in result.reason
    assert bool(result.reason) is not passed


def test_every_order_must_read_the_same_with_positions_off_and_some_order_otherwise_with_them_on() -> None:
    case = StructuralCase(id="o", kind="structural", text="refund the fee not the cake")
    assert [ask.positions for ask in asks(case)] == [True] * (1 + SHUFFLES) + [False] * (1 + SHUFFLES)
    still, moved = [answer(FEE)] * (1 + SHUFFLES), [answer(FEE)] * SHUFFLES + [answer(FEE, 0.5)]
    assert verdict(case, *moved, *still).passed
    assert "with positions off the order still moves" in verdict(case, *moved, *moved).reason
    assert "with positions on no order moves" in verdict(case, *still, *still).reason


def test_a_mail_must_read_the_same_alone_and_beside_a_long_one() -> None:
    case = StructuralCase(id="o", kind="structural", check="alone", text="refund the fee")
    alone, beside = (ask.company for ask in asks(case))
    assert alone == ()
    assert beside is not None
    assert [len(text.split()) for text in beside] == [300]
    result = verdict(case, answer(FEE, 0.5), answer(FEE, 0.5 + 0.9 * ALONE_TOLERANCE))
    assert result.passed
    assert [(reading.name, reading.text) for reading in result.readings] == [
        ("alone", "refund the fee"),
        ("beside", "refund the fee"),
    ]
    moved = verdict(case, answer(FEE, 0.5), answer(FEE, 0.5 + 1.1 * ALONE_TOLERANCE))
    assert moved.reason == "beside a mail of 300 words a probability moves by 1.1e-05"


def blind_pair(blind: str) -> StructuralCase:
    sides = {"a": {"text": "fee not cake", "label": FEE}, "b": {"text": "cake not fee", "label": ITEM}}
    return StructuralCase.model_validate({"id": "p", "kind": "structural", "blind": blind, **sides})


def test_a_pair_that_is_still_right_with_positions_off_fails_the_control() -> None:
    case = blind_pair("positions")
    blind = verdict(case, answer(FEE), answer(ITEM), answer(FEE), answer(FEE))
    assert blind.passed
    assert blind.control is not None
    assert (blind.control.sighted, blind.control.blind_ratio) == (True, 0.0)
    cheat = verdict(case, answer(FEE), answer(ITEM), answer(FEE), answer(ITEM))
    assert cheat.reason == "with positions off the pair is still right in 1 of 1 readings"


def test_a_pair_that_is_right_in_most_shuffles_fails_the_control() -> None:
    case = blind_pair("shuffle")
    texts = [ask.text for ask in asks(case)]
    assert {tuple(sorted(text.split())) for text in texts} == {("cake", "fee", "not")}

    def shuffled(right: int) -> CaseResult:
        firsts = [answer(FEE)] * right + [answer(ITEM)] * (SHUFFLES - right)
        return verdict(case, answer(FEE), answer(ITEM), *firsts, *[answer(ITEM)] * SHUFFLES)

    assert shuffled(5).passed
    assert shuffled(6).reason == "with its words shuffled the pair is still right in 6 of 8 readings"
