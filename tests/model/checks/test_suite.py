from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from model.checks.cases import StructuralCase, SwapCase
from model.checks.exchange import exchange, order_checks, refund_followed
from model.checks.figures import bag, control_figures, pair_figures
from model.checks.report import to_json, to_junit
from model.checks.results import RunResult
from model.checks.runner import run_cases, run_suite
from model.checks.schema import SUITES, Suite, read_suite, read_suites, shipped_suites
from model.classifier import Classifier
from model.config import LABELS
from model.spans import Span
from tests.model.checks.sampling import sampled
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


def shipped() -> list[Suite]:
    return read_suites(shipped_suites())


def test_the_shipped_suites_hold_what_they_are_for() -> None:
    suites = {suite.name: suite for suite in shipped()}
    asked = "fee-not-cake fee-not-cake-templates negation scope time who distance position robustness languages blind"
    assert {*asked.split()} <= set(suites)
    by_hand = [case for case in suites["fee-not-cake"].cases if isinstance(case, SwapCase)]
    assert by_hand[0].id == "story"
    assert len(by_hand) >= 400
    assert len({case.group for case in by_hand}) >= 25
    assert len({case.trade for case in by_hand}) >= 12
    assert {case.lang for case in suites["languages"].cases} == {"es", "fr", "de", "pt", "it", "nl", "pl", "hi"}
    lengths = [len(case.a.text.split()) for case in suites["distance"].cases if isinstance(case, SwapCase)]
    assert min(lengths) < 20
    assert max(lengths) > 300


def test_most_swap_pairs_hold_the_very_same_words() -> None:
    pairs = [case for suite in shipped() for case in suite.cases if isinstance(case, SwapCase)]
    assert sum(bag(case.a.text) == bag(case.b.text) for case in pairs) / len(pairs) > 0.95


SAMPLE = 9  # cases a suite beside the critical ones, about 150 in all; `refund-router check` runs the 1,200


@pytest.fixture(scope="module")
def released_runs(released: Classifier) -> dict[str, RunResult]:
    return {suite.name: run_suite(sampled(suite, SAMPLE), released) for suite in shipped()}


def test_the_released_model_passes_the_story(released_runs: dict[str, RunResult]) -> None:
    story = released_runs["fee-not-cake"].results[0]
    assert story.case.id == "story"
    assert story.passed
    assert story.order_gap is not None
    assert story.order_gap >= 0.5


def chance_of_so_few(floors: list[float], passed: int) -> float:
    """That no more than so many cases pass where each passes as often as its group's floor says."""
    ways = [1.0]  # ways[n]: the chance that n of the cases so far pass
    for floor in floors:
        ways = [miss * (1 - floor) + hit * floor for miss, hit in zip([*ways, 0.0], [0.0, *ways], strict=True)]
    return sum(ways[: passed + 1])


def test_so_few_passed_cases_are_told_from_chance() -> None:
    assert chance_of_so_few([0.5, 0.5], 0) == 0.25
    assert chance_of_so_few([0.5, 0.5], 2) == 1.0
    assert chance_of_so_few([1.0], 0) == 0.0
    assert chance_of_so_few([0.9] * 50, 30) < 1e-6


def test_the_released_model_passes_a_sample_as_often_as_its_floors_say(released_runs: dict[str, RunResult]) -> None:
    cases = [
        (run.suite.floor(result.case.group), result.passed)
        for run in released_runs.values()
        for result in run.results
        if result.case.severity != "critical"
    ]
    assert len(cases) > 90
    assert chance_of_so_few([floor for floor, _ in cases], sum(passed for _, passed in cases)) > 0.01


def test_the_released_model_holds_what_every_network_must(released_runs: dict[str, RunResult]) -> None:
    structural = [
        result
        for run in released_runs.values()
        for result in run.results
        if isinstance(result.case, StructuralCase) and run.suite.floor(result.case.group) == 1.0
    ]
    assert len(structural) >= SAMPLE
    assert [result.reason for result in structural if not result.passed] == []


def test_the_released_model_passes_every_critical_case(released_runs: dict[str, RunResult]) -> None:
    failed = {result.case.id for run in released_runs.values() for result in run.failed_critical}
    assert failed == set()


def test_the_control_takes_the_pairs_from_the_released_model(released_runs: dict[str, RunResult]) -> None:
    controls = {control.blind: control for control in control_figures([released_runs["blind"]])}
    assert controls["positions"].sighted > 0.9
    assert controls["positions"].blinded == 0.0
    assert controls["shuffle"].blinded < 0.5


def test_the_released_model_does_what_no_reader_without_order_can(released_runs: dict[str, RunResult]) -> None:
    figures = pair_figures(list(released_runs.values()))
    assert figures is not None
    assert figures.ceiling < 0.05
    assert figures.both_right > 0.75


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Classifier]:
    """One network trained on contrasts with RoPE, and the same without positions."""
    return {positions: train_tiny(positions, tmp_path_factory.mktemp(positions)) for positions in ("rope", "none")}


def same_words(case: SwapCase) -> bool:
    tokens = [sorted(tiny_tokenizer().encode([side.text])[0].ids) for side in (case.a, case.b)]
    return tokens[0] == tokens[1]


def one_window(case: SwapCase) -> bool:
    """Between windows even a model without positions sees an order."""
    return all(len(tiny_tokenizer().encode([side.text])[0].ids) <= 250 for side in (case.a, case.b))


def test_trained_without_positions_the_suite_fails_with_order_gaps_of_zero(trained: dict[str, Classifier]) -> None:
    run = run_suite(read_suite(FEE_NOT_CAKE), trained["none"])
    assert not run.passed
    swaps = [r for r in run.results if isinstance(r.case, SwapCase) and one_window(r.case) and same_words(r.case)]
    assert len(swaps) >= 300
    assert {f"{result.order_gap:.2f}" for result in swaps} == {"0.00"}
    assert all(result.readings[0].label == result.readings[1].label for result in swaps)
    blind = next(result for result in run.results if isinstance(result.case, StructuralCase))
    assert "with positions on no order moves" in blind.reason


def test_trained_with_rope_the_story_passes_where_the_one_without_fails(trained: dict[str, Classifier]) -> None:
    suite = read_suite(FEE_NOT_CAKE).only("swap")
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


def found(text: str, **roles: str) -> list[Span]:
    return [Span(role, words, text.index(words), text.index(words) + len(words), 1.0) for role, words in roles.items()]


@pytest.mark.parametrize("template", ["Refund the {}, not the {}.", "It isn't the {1} that I want repaid but the {0}."])
@pytest.mark.parametrize(
    ("again", "followed"),
    [
        ({"refund": "cake", "keep": "delivery fee"}, True),
        ({"refund": "the cake", "keep": "fee"}, True),  # edges differ
        ({"refund": "cake"}, True),  # what is kept goes unmarked
        ({"refund": "delivery fee", "keep": "cake"}, False),
        ({"refund": "fee"}, False),
        ({"keep": "delivery fee"}, False),  # nothing is asked for any more
        ({}, False),
    ],
)
def test_the_refund_has_to_go_to_the_other_words(template: str, again: dict[str, str], followed: bool) -> None:
    refund, keep = found(template.format("delivery fee", "cake"), refund="delivery fee", keep="cake")
    swapped = template.format("cake", "delivery fee")
    assert refund_followed(refund, keep, found(swapped, **again)) is followed
    both = Span("refund", swapped, 0, len(swapped), 1.0)
    assert not refund_followed(refund, keep, [both])


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
