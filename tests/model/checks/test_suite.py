from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from model.checks.cases import StructuralCase, SwapCase
from model.checks.exchange import exchange, order_checks
from model.checks.report import to_json, to_junit
from model.checks.runner import run_cases, run_suite
from model.checks.schema import SUITES, read_suite
from model.classifier import Classifier
from model.config import LABELS
from model.spans import Span
from tests.tiny import tiny_tokenizer, train_tiny

FEE_NOT_CAKE = SUITES / "fee-not-cake.yaml"
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
    pairs = [case for case in read_suite(FEE_NOT_CAKE).cases if isinstance(case, SwapCase)]
    assert pairs[0].id == "story"
    assert len(pairs) >= 31


def test_the_released_model_passes_the_story_and_nine_in_ten_of_the_suite(released: Classifier) -> None:
    run = run_suite(read_suite(FEE_NOT_CAKE), released)
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
    run = run_suite(read_suite(FEE_NOT_CAKE), trained["none"])
    assert not run.passed
    swaps = [result for result in run.results if isinstance(result.case, SwapCase) and same_words(result.case)]
    assert len(swaps) >= 15
    assert {f"{result.order_gap:.2f}" for result in swaps} == {"0.00"}
    assert all(result.readings[0].label == result.readings[1].label for result in swaps)
    blind = next(result for result in run.results if isinstance(result.case, StructuralCase))
    assert "with positions on no order moves" in blind.reason


def test_trained_with_rope_the_story_passes_where_the_one_without_fails(trained: dict[str, Classifier]) -> None:
    suite = read_suite(FEE_NOT_CAKE)
    story = {name: run_suite(suite, classifier).results[0] for name, classifier in trained.items()}
    assert (story["rope"].passed, story["none"].passed) == (True, False)


def test_reports_hold_every_case(tmp_path: Path, tiny_classifier: Classifier) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SWAP)
    run = run_suite(read_suite(path), tiny_classifier)
    (document,) = to_json([run])
    assert [case["id"] for case in document["cases"]] == ["story", "blind"]
    first = document["cases"][0]["readings"][0]
    assert first["text"] == "Refund the delivery fee, not the cake."
    assert first["seconds"] > 0
    assert set(first) == {"name", "text", "expected", "label", "confidence", "spans", "seconds"}
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


def test_progress_counts_every_text_once_where_cases_share_it(tmp_path: Path, tiny_classifier: Classifier) -> None:
    path = tmp_path / "s.yaml"
    twice = "  - {id: again, kind: minimum, text: 'Refund the delivery fee, not the cake.', label: refund_fee}\n"
    path.write_text(SWAP + twice)
    told: list[tuple[int, int]] = []
    run = run_suite(read_suite(path), tiny_classifier, lambda done, total: told.append((done, total)))
    texts = 2 + 2 * 9  # the pair; the structural text and its eight orders, read with positions on and off
    assert told[-1] == (texts, texts)
    assert run.results[0].readings[0].label == run.results[2].readings[0].label


def test_batches_and_their_padding_change_no_verdict(released: Classifier) -> None:
    suite = read_suite(FEE_NOT_CAKE).only("swap")
    some = suite.cases[:12]
    together = run_cases(some, released)
    alone = [result for case in some for result in run_cases([case], released)]
    assert [r.order_gap for r in together] == pytest.approx([r.order_gap for r in alone], abs=1e-4)
    assert [r.passed for r in together] == [r.passed for r in alone]


def test_a_minimum_with_a_decision_gets_what_the_service_would_decide(tmp_path: Path, released: Classifier) -> None:
    path = tmp_path / "s.yaml"
    row = (
        "  - {id: m, kind: minimum, text: 'Refund the delivery fee, not the cake.', label: refund_fee, decision: auto}"
    )
    path.write_text(f"name: s\ndescription: d\ncases:\n{row}\n")
    suite = read_suite(path)
    assert run_suite(suite, released).passed


def test_a_run_fails_by_a_critical_case_or_a_group_under_its_floor_and_says_so(
    tmp_path: Path, tiny_classifier: Classifier
) -> None:
    rows = """
  - {id: wrong, kind: minimum, text: refund the fee, label: LABEL, group: rules, severity: SEVERITY}
  - {id: blind, kind: structural, text: "refund the fee not the cake please", group: orders}
"""
    path = tmp_path / "s.yaml"
    head = "name: s\ndescription: d\nfail_under: {rules: FLOOR, default: 0}\ncases:"
    read_as = tiny_classifier.predict(["refund the fee"])[0].label
    rows = rows.replace("LABEL", next(label for label in LABELS if label != read_as))
    complaints = {}
    for severity, floor in (("critical", "0.0"), ("major", "0.5"), ("major", "0.0")):
        path.write_text((head + rows).replace("SEVERITY", severity).replace("FLOOR", floor))
        complaints[severity, floor] = run_suite(read_suite(path), tiny_classifier).complaints
    (critical,) = complaints["critical", "0.0"]
    assert critical.startswith("critical case wrong failed: read as ")
    assert complaints["major", "0.5"] == ["group rules: 0 of 1 cases passed, under the floor of 50.0%"]
    assert complaints["major", "0.0"] == []
