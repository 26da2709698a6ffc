"""The suites can fail: a model broken in twelve ways that have broken real ones is caught, the whole one is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from model.checks.results import RunResult
from model.checks.runner import run_suite
from model.checks.schema import SUITES, Suite, read_suite
from model.classifier import Classifier
from service.settings import Settings
from tests.benchmarks import mutations as benchmark
from tests.model.checks.mutations import MUTATIONS, catches, has_history

# Which suites catch what, by their critical cases alone; so few, that every run of the tests asks them.
CRITICAL = ("fee-not-cake", "languages", "position", "robustness", "distance")
ALL = frozenset(CRITICAL)
ALONE = 6  # cases: so many must break before a fall is more than chance
CAUGHT_BY: dict[str, frozenset[str]] = {
    "positions off": ALL,
    "positions constant": ALL,
    "RoPE on queries only": ALL,
    "reversed positions": ALL - {"distance"},  # its few critical cases come out right by it; all of it does not
    "one head dead": frozenset({"who"}),  # a good network spares a head: a few of many cases show it
    "shuffled embedding rows": ALL,
    "wrong tokenizer": ALL,
    "labels permuted": ALL,
    "int8 overflow": ALL,
    "pooling over padding": frozenset({"blind"}),  # no label shows it; what must hold of every network does
    "an old checkpoint": frozenset({"languages"}),
    "truncation at 16 tokens": frozenset({"fee-not-cake", "position", "robustness"}),
}


def _part(name: str) -> Suite:
    """Of `who` all, of `blind` some mails that are read alone and beside a long one, else what is critical."""
    suite = read_suite(SUITES / f"{name}.yaml")
    if name == "who":
        return suite
    if name == "blind":
        return replace(suite, cases=suite.only("alone").cases[:ALONE])
    return replace(suite, cases=tuple(case for case in suite.cases if case.severity == "critical"))


@pytest.fixture(scope="module")
def whole(released: Classifier) -> dict[str, RunResult]:
    """The released model on every part."""
    runs = {name: run_suite(_part(name), released) for name in (*CRITICAL, "who", "blind")}
    assert [name for name, run in runs.items() if not run.passed] == []
    return runs


def assert_caught(expected: frozenset[str], broken: Callable[[], Classifier], whole: dict[str, RunResult]) -> None:
    """By each suite that is expected to; of those with critical cases by no other."""
    classifier = broken()
    asked = expected if expected.isdisjoint(CRITICAL) else expected | ALL
    caught = {name for name in asked if catches(run_suite(whole[name].suite, classifier), whole[name])}
    assert caught, "nothing catches it: a hole in the suites"
    assert caught == expected


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_model_is_caught_by_its_suites(name: str, whole: dict[str, RunResult]) -> None:
    if name == "an old checkpoint" and not has_history():
        pytest.skip("the old checkpoint is in the repository's history, which this clone has not")
    assert_caught(CAUGHT_BY[name], MUTATIONS[name], whole)


def test_there_are_twelve_ways_and_each_has_its_suites() -> None:
    assert set(MUTATIONS) == set(CAUGHT_BY)
    assert len(MUTATIONS) == 12


def test_a_way_that_nothing_catches_fails(released: Classifier, whole: dict[str, RunResult]) -> None:
    with pytest.raises(AssertionError, match="nothing catches it"):
        assert_caught(ALL, lambda: released, whole)


def test_the_benchmark_tells_by_its_exit_code_that_nothing_catches_a_way(
    tmp_path: Path, tiny_folder: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "refund the cake"
    label = tiny_classifier.predict([text])[0].label
    suite = tmp_path / "one.yaml"
    suite.write_text(f"name: one\ndescription: d\ncases: [{{id: c, kind: minimum, text: {text}, label: {label}}}]\n")
    monkeypatch.setattr(Settings, "suite_files", lambda _: [suite])
    monkeypatch.setattr(benchmark, "RELEASED", tiny_folder)
    monkeypatch.setattr("sys.argv", ["mutations"])

    def permuted() -> Classifier:
        classifier = Classifier(tiny_folder)
        classifier.config = replace(classifier.config, labels=classifier.config.labels[::-1])
        return classifier

    monkeypatch.setattr(benchmark, "MUTATIONS", {"labels reversed": permuted})
    assert benchmark.main() == 0
    monkeypatch.setattr(benchmark, "MUTATIONS", {"labels reversed": permuted, "nothing": lambda: tiny_classifier})
    assert benchmark.main() == 1
