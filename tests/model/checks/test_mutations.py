"""The suites can fail: a model broken in a way that has broken real ones is caught, and the whole one is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from model.checks.baseline import SIGNIFICANT, mcnemar
from model.checks.cases import Case
from model.checks.runner import run_cases
from model.checks.schema import SUITES, read_suite
from model.classifier import Classifier
from tests.model.checks.mutations import MUTATIONS

TAKEN = {"fee-not-cake-templates": 8, "position": 8}  # cases that the whole model passes, a suite each
# What so few cases do not show; `python -m tests.benchmarks.mutations` asks all of them.
SUBTLE = {"one head dead", "int8 overflow", "an old checkpoint"}
PADDING = "pooling over padding"  # no label shows it in such a batch; what must hold of every network does


@pytest.fixture(scope="module")
def passed_cases(released: Classifier) -> list[Case]:
    taken: list[Case] = []
    for name, size in TAKEN.items():
        cases = read_suite(SUITES / f"{name}.yaml").cases[: 3 * size]
        results = run_cases(cases, released)
        passed = [result.case for result in results if result.passed][:size]
        assert len(passed) == size
        taken += passed
    return taken


def broken(cases: Sequence[Case], classifier: Classifier) -> int:
    return sum(not result.passed for result in run_cases(cases, classifier))


@pytest.mark.parametrize("name", sorted(set(MUTATIONS) - SUBTLE - {PADDING}))
def test_a_broken_model_fails_by_more_than_chance(name: str, passed_cases: list[Case]) -> None:
    assert mcnemar(broken(passed_cases, MUTATIONS[name]()), 0) < SIGNIFICANT


def test_a_model_that_pools_over_padding_fails_each_mail_that_is_read_beside_a_long_one(released: Classifier) -> None:
    cases = read_suite(SUITES / "blind.yaml").only("alone").cases
    assert len(cases) >= 6  # so many must break before a fall is more than chance
    assert broken(cases, released) == 0
    assert broken(cases, MUTATIONS[PADDING]()) == len(cases)


def test_the_whole_model_passes_again(released: Classifier, passed_cases: list[Case]) -> None:
    assert broken(passed_cases, released) == 0


def test_there_are_twelve_mutations_and_the_subtle_ones_are_of_them() -> None:
    assert len(MUTATIONS) == 12
    assert set(MUTATIONS) > SUBTLE | {PADDING}
