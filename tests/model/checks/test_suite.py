from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from model.checks.exchange import exchange, order_checks
from model.checks.report import to_json, to_junit
from model.checks.runner import run_suite
from model.checks.schema import StructuralCase, SuiteError, SwapCase, read_suite, shipped_suites
from model.classifier import Classifier
from model.spans import Span
from tests.tiny import tiny_tokenizer, train_tiny

SWAP = """
name: s
description: d
fail_under: 1.0
cases:
  - id: story
    kind: swap
    a: {text: "Refund the delivery fee, not the cake.", label: refund_fee}
    b: {text: "Refund the cake, not the delivery fee.", label: refund_item}
  - {id: blind, kind: structural, text: "refund the fee not the cake please"}
"""


def test_the_shipped_suite_holds_the_story_and_thirty_more_pairs() -> None:
    (path,) = shipped_suites()
    pairs = [case for case in read_suite(path).cases if isinstance(case, SwapCase)]
    assert pairs[0].id == "story"
    assert len(pairs) >= 31


def test_the_released_model_passes_the_story_and_nine_in_ten_of_the_suite(released: Classifier) -> None:
    run = run_suite(read_suite(shipped_suites()[0]), released)
    story = run.results[0]
    assert story.passed
    assert story.order_gap is not None
    assert story.order_gap >= 0.5
    assert run.passed, [(r.case.id, r.reason) for r in run.results if not r.passed]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Classifier]:
    """One network trained on contrasts with RoPE, and the same without positions."""
    return {positions: train_tiny(positions, tmp_path_factory.mktemp(positions)) for positions in ("rope", "none")}


def same_words(case: SwapCase) -> bool:
    tokens = [sorted(tiny_tokenizer().encode([side.text])[0].ids) for side in (case.a, case.b)]
    return tokens[0] == tokens[1]


def test_trained_without_positions_the_suite_fails_with_order_gaps_of_zero(trained: dict[str, Classifier]) -> None:
    run = run_suite(read_suite(shipped_suites()[0]), trained["none"])
    assert not run.passed
    swaps = [result for result in run.results if isinstance(result.case, SwapCase) and same_words(result.case)]
    assert len(swaps) >= 15
    assert {f"{result.order_gap:.2f}" for result in swaps} == {"0.00"}
    assert all(result.readings[0].label == result.readings[1].label for result in swaps)
    blind = next(result for result in run.results if isinstance(result.case, StructuralCase))
    assert "with positions on no order moves" in blind.reason


def test_trained_with_rope_the_story_passes_where_the_one_without_fails(trained: dict[str, Classifier]) -> None:
    suite = read_suite(shipped_suites()[0])
    story = {name: run_suite(suite, classifier).results[0] for name, classifier in trained.items()}
    assert (story["rope"].passed, story["none"].passed) == (True, False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("label: refund_fee", "label: refund_feee", r"case 1 \(story\): a: field 'label': 'refund_feee'"),
        ("kind: swap", "kind: swop", r"case 1 \(story\): field 'kind': 'swop'"),
        ("fail_under: 1.0", "fail_under: 7", "field 'fail_under': 7 is not a number from 0 to 1"),
        ("description: d", "descripton: d", "field 'description' is missing"),
        ("id: blind, ", "id: story, ", "case id 'story' is used twice"),
        ("id: blind, ", "id: blind, txet: x, ", r"case 2 \(blind\): field 'txet' is unknown"),
        ("cases:", "cases: [", "s.yaml"),
    ],
)
def test_a_wrong_suite_is_refused_with_case_and_field(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SWAP.replace(old, new, 1))
    with pytest.raises(SuiteError, match=message):
        read_suite(path)


def test_reports_hold_every_case(tmp_path: Path, tiny_classifier: Classifier) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SWAP)
    run = run_suite(read_suite(path), tiny_classifier)
    (document,) = to_json([run])
    assert [case["id"] for case in document["cases"]] == ["story", "blind"]
    suite = ET.fromstring(to_junit([run]))[0]
    failed = sum(not result.passed for result in run.results)
    assert (suite.get("tests"), suite.get("failures")) == ("2", str(failed))


def test_exchange_puts_each_phrase_in_the_others_place() -> None:
    text = "Refund the delivery fee, not the cake."
    fee, cake = Span("refund", "delivery fee", 11, 23, 1.0), Span("keep", "cake", 33, 37, 1.0)
    assert exchange(text, fee, cake) == exchange(text, cake, fee) == "Refund the cake, not the delivery fee."


def test_the_order_check_of_a_plain_contrast_passes_on_the_released_model(released: Classifier) -> None:
    texts = ["Refund the delivery fee, not the cake.", "Where is my parcel?"]
    contrast, none = order_checks(released, texts, released.predict(texts))
    assert none is None
    assert contrast is not None
    assert contrast.passed
    assert contrast.swapped_text == "Refund the cake, not the delivery fee."
