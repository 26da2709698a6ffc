"""The page of a run: one HTML file that needs nothing beside it, plots drawn as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from model.checks.baseline import Comparison
from model.checks.figures import control_figures, gap_histogram, pair_figures, rates
from model.checks.results import Reading, RunResult

# The plot's measures in SVG units.
PLOT_WIDTH, PLOT_HEIGHT, PLOT_MARGIN = 640, 200, 34


def marked_words(reading: Reading) -> Markup:
    """The text with every span marked by its role's colour and, for those who do not see it, its name."""
    parts, at = [], 0
    for span in sorted(reading.spans, key=lambda span: span.start):
        parts.append(escape(reading.text[at : span.start]))
        words = escape(reading.text[span.start : span.end])
        parts.append(Markup('<mark class="{}">{}<small> {}</small></mark>').format(span.role, words, span.role))
        at = span.end
    parts.append(escape(reading.text[at:]))
    return Markup("").join(parts)


def bars(counts: Sequence[int]) -> list[dict[str, float]]:
    """A histogram's bars as rectangles; the highest fills the plot."""
    highest = max([*counts, 1])
    width = (PLOT_WIDTH - 2 * PLOT_MARGIN) / len(counts)
    room = PLOT_HEIGHT - 2 * PLOT_MARGIN
    found = []
    for number, count in enumerate(counts):
        height = room * count / highest
        x, y = PLOT_MARGIN + number * width, PLOT_HEIGHT - PLOT_MARGIN - height
        first, last = number / len(counts), (number + 1) / len(counts)
        found.append({"x": x, "y": y, "width": width - 1, "height": height, "count": count, "from": first, "to": last})
    return found


def to_html(runs: Sequence[RunResult], comparisons: Mapping[str, Comparison]) -> str:
    """runs: of one model; comparisons: suite name → the run against its baseline, where there is one."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked_words"] = marked_words
    results = [result for run in runs for result in run.results]
    values: dict[str, Any] = {
        "runs": runs,
        "comparisons": comparisons,
        "complaints": [
            f"{run.suite.name}: {complaint}"
            for run in runs
            for complaint in [
                *run.complaints,
                *(comparisons[run.suite.name].complaints if run.suite.name in comparisons else []),
            ]
        ],
        "total": len(results),
        "passed": sum(result.passed for result in results),
        "seconds": sum(run.seconds for run in runs),
        "pairs": pair_figures(runs),
        "controls": control_figures(runs),
        "bars": bars(gap_histogram(runs)),
        "plot": {"width": PLOT_WIDTH, "height": PLOT_HEIGHT, "margin": PLOT_MARGIN},
        "by_capability": rates(results, lambda result: result.case.capability),
        "by_kind": rates(results, lambda result: result.case.kind),
        "by_language": rates(results, lambda result: result.case.lang),
        "written_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return environment.get_template("page.html.j2").render(values)
