"""Small plots as figures of numbers; the templates draw them as SVG and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP_RATIO = 100.0, 32.0, 0.15


@dataclass(frozen=True)
class Bar:
    """A column: where it stands in a drawing of WIDTH × HEIGHT, and what it says."""

    name: str
    value: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Plot:
    """Columns over names. unit is said after each number; summary tells the plot to those who do not see it."""

    title: str
    unit: str
    bars: tuple[Bar, ...]
    summary: str

    @property
    def first(self) -> str:
        return self.bars[0].name if self.bars else ""

    @property
    def last(self) -> str:
        return self.bars[-1].name if self.bars else ""


def plot(title: str, values: Sequence[tuple[str, float]], *, unit: str) -> Plot:
    """The highest column fills the height; without any value the columns are flat."""
    top = max((value for _, value in values), default=0) or 1
    step = WIDTH / max(1, len(values))
    bars = tuple(
        Bar(name, value, n * step, HEIGHT * (1 - value / top), step * (1 - GAP_RATIO), HEIGHT * value / top)
        for n, (name, value) in enumerate(values)
    )
    total = sum(value for _, value in values)
    if not total:
        return Plot(title, unit, bars, f"{title}: nothing yet")
    highest = max(values, key=lambda entry: entry[1])
    return Plot(title, unit, bars, f"{title}: highest {highest[1]:g} {unit} at {highest[0]}, {total:g} in all")
