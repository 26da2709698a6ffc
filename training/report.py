"""The evaluation as one HTML page that stands alone: tables, plots and the mails that were misread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from training.plots import Plot

PAGES = Environment(loader=PackageLoader("training"), autoescape=True, undefined=StrictUndefined)


def _plots(figures: dict[str, Any]) -> list[str]:
    reliability = [(row["confidence"], row["accuracy"]) for row in figures["reliability"]]
    covered = [(row["coverage"], row["accuracy"]) for row in figures["coverage"]]
    refused = [(row["threshold"], 1.0 - row["coverage"]) for row in figures["coverage"]]
    plots = [
        Plot("Reliability", "confidence", "accuracy").diagonal().lines({"": reliability}),
        Plot("Coverage against accuracy", "share of mails, most confident first", "accuracy").lines(
            {"": covered}, marker=""
        ),
        Plot("Refused at each threshold", "threshold", "share of mails below it").lines({"": refused}, marker=""),
    ]
    if figures["pairs"]["pairs"]:
        heights = figures["pairs"]["order_gap_histogram"]
        names = [f"{place / 10:.1f}" for place in range(len(heights))]
        plots.append(Plot("Order gap of mirror pairs", "gap, from", "pairs").bars(names, heights))
    return [plot.svg() for plot in plots]


def render_report(figures: dict[str, Any], classes: Sequence[str], title: str) -> str:
    """figures: as `evaluate` gives them."""
    page = PAGES.get_template("report.html.j2")
    return page.render(f=figures, classes=classes, title=title, plots=_plots(figures))
