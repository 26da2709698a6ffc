from __future__ import annotations

import json
from math import comb
from pathlib import Path

import pytest

from model.checks.baseline import BaselineError, compare, from_run, mcnemar, read_baseline
from model.checks.cases import MinimumCase
from model.checks.report import to_json
from model.checks.results import CaseResult, Reading, RunResult
from model.checks.schema import Suite


def run(verdicts: dict[str, bool], group: str = "g", version: str = "v", sha256: str = "x") -> RunResult:
    cases = {
        name: MinimumCase(id=name, kind="minimum", text="hi", label="other", capability="c", group=group)
        for name in verdicts
    }
    suite = Suite("s", "d", {"default": 0.0}, tuple(cases.values()), sha256)
    reading = Reading("hi", "other", "other", 0.9)
    results = tuple(CaseResult(cases[name], passed, "", (reading,)) for name, passed in verdicts.items())
    return RunResult(suite, version, results)


@pytest.mark.parametrize(
    ("broken", "mended", "p_value"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 32),
        (6, 0, 2 / 64),
        (1, 8, 2 * 10 / 512),
        (10, 3, 2 * sum(comb(13, k) for k in range(4)) / 2**13),  # 0.0923, as R's binom.test(3, 13) says
    ],
)
def test_mcnemar_is_the_exact_two_sided_binomial(broken: int, mended: int, p_value: float) -> None:
    assert mcnemar(broken, mended) == mcnemar(mended, broken) == pytest.approx(p_value)


def verdicts(broken: int, mended: int) -> tuple[dict[str, bool], dict[str, bool]]:
    before = {f"b{n}": True for n in range(broken)} | {f"m{n}": False for n in range(mended)} | {"same": True}
    return before, {name: name.startswith("m") or name == "same" for name in before}


@pytest.mark.parametrize(("broken", "mended", "falls"), [(5, 0, 0), (6, 0, 1), (6, 1, 0), (0, 9, 0), (9, 1, 1)])
def test_only_a_significant_fall_is_a_fall(broken: int, mended: int, falls: int) -> None:
    before, after = verdicts(broken, mended)
    comparison = compare(run(after), from_run(run(before, version="old")))
    assert (len(comparison.broken), len(comparison.mended), len(comparison.falls)) == (broken, mended, falls)
    assert len(comparison.complaints) == falls
    assert all(line.startswith("against old: group g: ") for line in comparison.complaints)


@pytest.mark.parametrize(("broken", "falls"), [(2, []), (3, ["(whole suite)"]), (6, ["(whole suite)", "g", "h"])])
def test_what_breaks_here_and_there_is_a_fall_of_the_whole_suite(broken: int, falls: list[str]) -> None:
    before, after = verdicts(broken, 0)
    first, second = (run(after, group) for group in "gh")
    both = RunResult(first.suite, "v", first.results + tuple(
        CaseResult(r.case.model_copy(update={"id": f"h-{r.case.id}"}), r.passed, "", r.readings) for r in second.results
    ))  # fmt: skip
    everything = from_run(run(before | {f"h-{name}": passed for name, passed in before.items()}))
    comparison = compare(both, everything)
    counts = [(change.group, change.broken) for change in comparison.changes]
    assert counts == [("(whole suite)", 2 * broken), ("g", broken), ("h", broken)]
    assert [change.group for change in comparison.falls] == falls


def test_cases_that_the_baseline_has_not_are_counted() -> None:
    comparison = compare(run({"a": True, "b": True, "c": True}), from_run(run({"b": True, "gone": True})))
    assert (comparison.compared, comparison.not_compared) == (1, 2)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("[]", "holds no run"),
        ("{}", "holds no run"),
        ('[{"suite": "s", "suite_sha256": "x", "model_version": "v", "cases": []}]', "the run of s holds no case"),
    ],
)
def test_a_baseline_of_nothing_is_refused(tmp_path: Path, document: str, words: str) -> None:
    path = tmp_path / "empty.json"
    path.write_text(document)
    with pytest.raises(BaselineError, match=words):
        read_baseline(path)


def test_every_group_that_changed_is_told_with_its_p_value_and_those_that_fell_are_named() -> None:
    before, after = verdicts(1, 8)
    (document,) = to_json([run(after)], {"s": compare(run(after), from_run(run(before)))})
    (group,) = document["baseline"]["groups"]
    assert group == {"group": "g", "broken": 1, "mended": 8, "p_value": pytest.approx(2 * 10 / 512)}
    assert document["baseline"]["falls"] == []
    before, after = verdicts(6, 0)
    (document,) = to_json([run(after)], {"s": compare(run(after), from_run(run(before)))})
    assert document["baseline"]["falls"] == ["g"]
    assert compare(run(after), from_run(run(after))).changes == ()


def test_a_suite_that_has_grown_is_compared_where_it_can_be() -> None:
    comparison = compare(run({"old": False, "new": False}, sha256="y"), from_run(run({"old": True, "gone": True})))
    assert comparison.compared == 1
    assert [result.case.id for result in comparison.broken] == ["old"]
    assert not comparison.same_suite


def test_what_json_was_written_is_read_as_a_baseline(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(to_json([run({"a": True, "b": False})])))
    assert read_baseline(path) == [from_run(run({"a": True, "b": False}))]


@pytest.mark.parametrize("text", ["", "{}x", "[1]", '[{"suite": "s"}]', '{"a": 1}', "[" * 5000])
def test_another_file_is_no_baseline(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(BaselineError, match=r"run\.json"):
        read_baseline(path)
    with pytest.raises(BaselineError, match="nowhere.json: No such file"):
        read_baseline(tmp_path / "nowhere.json")
