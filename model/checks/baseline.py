"""A run against an earlier one of the same suite: what broke, what mended, and which groups fell, or the whole suite.

The test is McNemar's in its exact form (McNemar 1947, Psychometrika 12, p. 153): of the cases whose verdict changed,
as many should have broken as mended if nothing but chance were at work, so the number broken is binomial with one half.
SciPy has it too, but is 100 MB for five lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from model.checks.results import CaseResult, RunResult

WHOLE_SUITE = "(whole suite)"  # as a group
SIGNIFICANT = 0.05  # of the two-sided test: six broken and none mended are the least that reach it


class BaselineError(ValueError):
    """A file that is no run's JSON; says which and why."""


@dataclass(frozen=True)
class Baseline:
    """What an earlier run of one suite found: case id → passed."""

    suite: str
    suite_sha256: str
    model_version: str
    passed: Mapping[str, bool]


@dataclass(frozen=True)
class Change:
    """A group in which verdicts changed, and how likely chance alone brings so uneven a change."""

    group: str
    broken: int
    mended: int
    p_value: float

    @property
    def is_fall(self) -> bool:
        """The pass rate fell by more than chance."""
        return self.broken > self.mended and self.p_value < SIGNIFICANT

    def __str__(self) -> str:
        return f"group {self.group}: {self.broken} cases broke and {self.mended} mended (p = {self.p_value:.3f})"


@dataclass(frozen=True)
class Comparison:
    """A run against its baseline, over the cases that both have."""

    baseline: Baseline
    compared: int
    broken: tuple[CaseResult, ...]  # passed then, fail now
    mended: tuple[CaseResult, ...]  # failed then, pass now
    changes: tuple[Change, ...]  # by group, where one changed
    same_suite: bool  # the very same file
    not_compared: int = 0  # cases that the baseline has not

    @property
    def falls(self) -> list[Change]:
        return [change for change in self.changes if change.is_fall]

    @property
    def complaints(self) -> list[str]:
        return [f"against {self.baseline.model_version}: {fall}" for fall in self.falls]


def mcnemar(broken: int, mended: int) -> float:
    """Two-sided exact p-value; 1.0 where nothing changed."""
    changed = broken + mended
    tail: float = sum(comb(changed, k) for k in range(min(broken, mended) + 1)) / 2**changed
    return min(1.0, 2 * tail)


def changes(groups: Mapping[str, str], before: Mapping[str, bool], now: Mapping[str, bool]) -> tuple[Change, ...]:
    """groups: case id → its group, in the suite's order; before and now: case id → passed. Over the cases of all.

    Where several groups changed, the whole suite comes first: what breaks a case here and there is a fall of no group.
    """
    counts: dict[str, list[int]] = {}  # group → broken, mended
    for case_id, group in groups.items():
        if case_id in before and case_id in now and before[case_id] != now[case_id]:
            counts.setdefault(group, [0, 0])[now[case_id]] += 1
    if len(counts) > 1:
        counts = {WHOLE_SUITE: [sum(count) for count in zip(*counts.values(), strict=True)], **counts}
    return tuple(Change(group, broken, mended, mcnemar(broken, mended)) for group, (broken, mended) in counts.items())


def compare(run: RunResult, baseline: Baseline) -> Comparison:
    """Cases are matched by id, so that a suite that has grown is still compared where it can be."""
    both = [result for result in run.results if result.case.id in baseline.passed]
    broken = tuple(r for r in both if baseline.passed[r.case.id] and not r.passed)
    mended = tuple(r for r in both if not baseline.passed[r.case.id] and r.passed)
    groups = {result.case.id: result.case.group for result in both}
    changed = changes(groups, baseline.passed, {result.case.id: result.passed for result in both})
    same_suite = run.suite.sha256 == baseline.suite_sha256
    return Comparison(baseline, len(both), broken, mended, changed, same_suite, len(run.results) - len(both))


def from_run(run: RunResult) -> Baseline:
    passed = {result.case.id: result.passed for result in run.results}
    return Baseline(run.suite.name, run.suite.sha256, run.model_version, passed)


def read_baseline(path: Path) -> list[Baseline]:
    """What `refund-router check --json` wrote. Raises BaselineError for anything else."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = [_baseline(run) for run in document]
    except (OSError, ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BaselineError(f"{path}: is not what `refund-router check --json` writes: {error!r}") from error
    if empty := [run.suite for run in found if not run.passed]:
        raise BaselineError(f"{path}: the run of {empty[0]} holds no case")
    if not found:
        raise BaselineError(f"{path}: holds no run, so there is nothing to compare with")
    return found


def _baseline(run: Mapping[str, Any]) -> Baseline:
    cases: Sequence[Mapping[str, Any]] = run["cases"]
    passed = {case["id"]: case["passed"] is True for case in cases}
    return Baseline(run["suite"], run["suite_sha256"], run["model_version"], passed)
