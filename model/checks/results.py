"""What a run finds: readings, verdicts of cases, counts of groups, and why a run fails."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from model.checks.cases import Case, SwapCase
from model.checks.schema import Suite
from model.spans import Span


@dataclass(frozen=True)
class Reading:
    """One text of a case as the model read it; label, confidence and spans are the model's."""

    text: str
    expected: str | None
    label: str
    confidence: float
    name: str = "text"  # which text of the case: a, b, text, changed, or the edit's name
    spans: tuple[Span, ...] = ()
    seconds: float = 0.0  # its share of the batch that it was read in


@dataclass(frozen=True)
class Control:
    """How a pair fared with and without the order."""

    blind: str  # how the order was kept from the model: positions, or shuffle
    sighted: bool  # both members right, read as they stand
    blind_ratio: float  # share of the blind readings of the pair that got both members right


@dataclass(frozen=True)
class CaseResult:
    """One case's verdict with what it rests on. order_gap is None for cases that have no pair."""

    case: Case
    passed: bool
    reason: str  # empty where the case passed
    readings: tuple[Reading, ...]
    order_gap: float | None = None
    control: Control | None = None  # of structural cases with a pair

    @property
    def seconds(self) -> float:
        return sum(reading.seconds for reading in self.readings)


@dataclass(frozen=True)
class GroupResult:
    """How many of a group's cases passed, and how many must."""

    name: str
    passed: int
    total: int
    floor: float  # least share that must pass

    @property
    def pass_ratio(self) -> float:
        return self.passed / self.total

    @property
    def ok(self) -> bool:
        return self.pass_ratio >= self.floor


@dataclass(frozen=True)
class RunResult:
    """One execution of a suite on one model."""

    suite: Suite
    model_version: str
    results: tuple[CaseResult, ...]
    seconds: float = 0.0

    @property
    def pass_ratio(self) -> float:
        return sum(result.passed for result in self.results) / len(self.results)

    @property
    def groups(self) -> list[GroupResult]:
        """In the order in which the suite names them first."""
        found: dict[str, list[bool]] = defaultdict(list)
        for result in self.results:
            found[result.case.group].append(result.passed)
        return [GroupResult(name, sum(all_), len(all_), self.suite.floor(name)) for name, all_ in found.items()]

    @property
    def failed_critical(self) -> list[CaseResult]:
        return [result for result in self.results if result.case.severity == "critical" and not result.passed]

    @property
    def complaints(self) -> list[str]:
        """Why the run fails, a sentence each: critical cases, then groups under their floor. Empty where it passes."""
        return [f"critical case {result.case.id} failed: {result.reason}" for result in self.failed_critical] + [
            f"group {group.name}: {group.passed} of {group.total} cases passed, under the floor of {group.floor:.1%}"
            for group in self.groups
            if not group.ok
        ]

    @property
    def passed(self) -> bool:
        return not self.complaints

    @property
    def pairs(self) -> list[CaseResult]:
        return [result for result in self.results if isinstance(result.case, SwapCase)]

    @property
    def pair_accuracy(self) -> float | None:
        """Share of the swap pairs whose two members both got their label."""
        both = sum(all(reading.label == reading.expected for reading in r.readings) for r in self.pairs)
        return both / len(self.pairs) if self.pairs else None

    @property
    def both_same_ratio(self) -> float | None:
        """Share of the swap pairs whose two members got one and the same label: the mistake this is all about."""
        same = sum(r.readings[0].label == r.readings[1].label for r in self.pairs)
        return same / len(self.pairs) if self.pairs else None
