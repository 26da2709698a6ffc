"""The ablation's figures as one HTML page with plots."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from training.ablation import HEADS, LAYERS, LENGTHS, POSITIONS
from training.plots import Plot
from training.report import PAGES

NAMES = {
    "none": "none",
    "number": "raw number",
    "ratio": "number over length",
    "learned": "learned",
    "sinusoidal": "sinusoidal",
    "rope": "RoPE",
}
Group = list[dict[str, Any]]


def _values(group: Group, figure: str, factor: int = 1) -> list[float]:
    return [trial["lengths"][str(factor)][figure] for trial in group]


def _spread(values: list[float]) -> str:
    return f"{np.mean(values) * 100:.1f} ± {np.std(values) * 100:.1f} %"


def _rows(groups: dict[tuple[str, int, int], Group]) -> list[dict[str, Any]]:
    return [
        {
            "positions": positions,
            "n_layers": layers,
            "n_heads": heads,
            "parameters": group[0]["parameters"],
            **{name: _spread(_values(group, name)) for name in ("accuracy", "both_right", "both_same")},
            "order_gap": f"{np.mean(_values(group, 'order_gap')):.2f}",
            "longer": [_spread(_values(group, "both_right", factor)) for factor in LENGTHS[1:]],
        }
        for (positions, layers, heads), group in groups.items()
    ]


def _plots(trials: Group) -> list[str]:
    by_positions = {name: [t for t in trials if t["positions"] == name] for name in POSITIONS}
    largest = {
        name: [t for t in group if (t["n_layers"], t["n_heads"]) == (max(LAYERS), max(HEADS))]
        for name, group in by_positions.items()
    }
    both = [_values(group, "both_right") for group in largest.values()]
    title = f"Swap pairs right, {max(LAYERS)} layers of {max(HEADS)} heads"
    bars = Plot(title, "", "share of pairs").bars(
        [NAMES[name] for name in largest], [float(np.mean(v)) for v in both], [float(np.std(v)) for v in both]
    )
    lengths = {
        NAMES[name]: [(float(f), float(np.mean(_values(group, "both_right", f)))) for f in LENGTHS]
        for name, group in largest.items()
    }
    longer = Plot("At lengths never trained on", "times the longest training mail", "pairs right").lines(lengths)
    heads = {
        NAMES[name]: [
            (float(h), float(np.mean(_values([t for t in group if t["n_heads"] == h], "both_right")))) for h in HEADS
        ]
        for name, group in by_positions.items()
    }
    return [bars.svg(), longer.svg(), Plot("By heads, all depths", "heads", "pairs right").lines(heads).svg()]


def render_ablation(figures: dict[str, Any]) -> str:
    """figures: as `ablate` gives them."""
    groups: dict[tuple[str, int, int], Group] = defaultdict(list)
    for trial in figures["trials"]:
        groups[trial["positions"], trial["n_layers"], trial["n_heads"]].append(trial)
    pruned = next(trial for trial in figures["trials"] if "head_drops" in trial)
    whole = pruned["lengths"]["1"]
    drops = [
        {
            **drop,
            "both_right": f"{drop['both_right'] * 100:.1f} %",
            "lost": f"{(whole['both_right'] - drop['both_right']) * 100:.1f}",
            "order_gap": f"{drop['order_gap']:.2f}",
        }
        for drop in pruned["head_drops"]
    ]
    return PAGES.get_template("ablation.html.j2").render(
        budget=figures["budget"],
        longest=figures["longest_training_mail_tokens"],
        plots=_plots(figures["trials"]),
        rows=_rows(groups),
        names=NAMES,
        lengths=LENGTHS,
        layers=pruned["n_layers"],
        heads=pruned["n_heads"],
        drops=drops,
        whole_both_right=f"{whole['both_right'] * 100:.1f} %",
        whole_order_gap=f"{whole['order_gap']:.2f}",
    )
