"""What the page shows of a run, counted: rates, the bags, the ceiling of a reader without order, the order gaps."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from model.checks.results import CaseResult, Control, RunResult

WORD = re.compile(r"\w+")
GAP_BINS = 20


@dataclass(frozen=True)
class Rate:
    """So many of so many."""

    name: str
    passed: int
    total: int

    @property
    def ratio(self) -> float:
        return self.passed / self.total


def rates(results: Sequence[CaseResult], of: Callable[[CaseResult], str]) -> list[Rate]:
    """Pass rates by whatever `of` says of a result, most cases first."""
    found: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        found[of(result)].append(result.passed)
    return sorted((Rate(name, sum(all_), len(all_)) for name, all_ in found.items()), key=lambda rate: -rate.total)


def bag(text: str) -> tuple[str, ...]:
    """The words without their order, capitals and signs: all that an order-blind reader has."""
    return tuple(sorted(WORD.findall(text.casefold())))


@dataclass(frozen=True)
class PairFigures:
    """What the swap pairs show; ratios are of all pairs."""

    pairs: int
    both_right: float
    both_same: float
    identical_bags: float  # pairs whose members hold the very same words
    ceiling: float  # of pairs, the most that any reader without order can get right on both sides
    text_ceiling: float  # the same for single texts


def pair_figures(runs: Sequence[RunResult]) -> PairFigures | None:
    """None where there is no swap pair.

    The ceiling is of a reader that is given each text as a bag and is otherwise perfect: it knows the best label for
    every bag, yet has to say the same of equal bags. A pair of equal bags and different labels is lost to it.
    """
    pairs = [pair for run in runs for pair in run.pairs]
    if not pairs:
        return None
    labels: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        for reading in pair.readings:
            labels[bag(reading.text)][reading.expected or ""] += 1
    best = {words: counts.most_common(1)[0] for words, counts in labels.items()}
    total = len(pairs)

    def share(holds: Callable[[CaseResult], bool]) -> float:
        return sum(map(holds, pairs)) / total

    return PairFigures(
        total,
        share(lambda pair: all(r.label == r.expected for r in pair.readings)),
        share(lambda pair: pair.readings[0].label == pair.readings[1].label),
        share(lambda pair: bag(pair.readings[0].text) == bag(pair.readings[1].text)),
        share(lambda pair: all(best[bag(r.text)][0] == r.expected for r in pair.readings)),
        sum(count for _, count in best.values()) / (2 * total),
    )


def gap_histogram(runs: Sequence[RunResult]) -> list[int]:
    """Swap pairs by order gap, in equal steps from 0 to 1."""
    counts = [0] * GAP_BINS
    for run in runs:
        for pair in run.pairs:
            counts[min(GAP_BINS - 1, int((pair.order_gap or 0.0) * GAP_BINS))] += 1
    return counts


@dataclass(frozen=True)
class ControlFigures:
    """How the control's pairs fared, by how the order was kept from the model; ratios of both members right."""

    blind: str  # positions, or shuffle
    pairs: int
    sighted: float
    blinded: float


def control_figures(runs: Sequence[RunResult]) -> list[ControlFigures]:
    found: dict[str, list[Control]] = defaultdict(list)
    for run in runs:
        for result in run.results:
            if result.control is not None:
                found[result.control.blind].append(result.control)
    return [
        ControlFigures(
            blind,
            len(controls),
            sum(control.sighted for control in controls) / len(controls),
            sum(control.blind_ratio for control in controls) / len(controls),
        )
        for blind, controls in found.items()
    ]
