"""Plots as SVG text for the report pages, drawn by matplotlib: readers of papers know it, and it needs no browser."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.axes import Axes

Points = Sequence[tuple[float, float]]
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "refund-router",  # the same figures give the same file
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}


class Plot:
    """One set of axes; `svg()` gives it as text that stands inside a page."""

    def __init__(self, title: str, x: str, y: str, *, width: float = 4.6, height: float = 3.2) -> None:
        """width, height: inches."""
        with pyplot.rc_context(STYLE):
            self._figure, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
        self.axes: Axes = axes
        self.axes.set(title=title, xlabel=x, ylabel=y)

    def lines(self, named: Mapping[str, Points], *, marker: str = "o") -> Plot:
        for name, points in named.items():
            self.axes.plot(*zip(*points, strict=True), marker=marker, markersize=3, label=name)
        if len(named) > 1:
            self.axes.legend(frameon=False, fontsize=8)
        return self

    def diagonal(self) -> Plot:
        self.axes.plot([0, 1], [0, 1], color="grey", linestyle="--", linewidth=1)
        return self

    def bars(self, names: Sequence[str], heights: Sequence[float], errors: Sequence[float] | None = None) -> Plot:
        self.axes.bar(range(len(names)), heights, yerr=errors, capsize=2)
        self.axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
        return self

    def svg(self) -> str:
        out = io.StringIO()
        with pyplot.rc_context(STYLE):
            self._figure.savefig(out, format="svg", metadata={"Date": None})
        pyplot.close(self._figure)
        text = out.getvalue()
        return text[text.index("<svg") :]
