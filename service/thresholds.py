"""Reading of the settings about decisions: `refund_fee=0.97,all=0.9` or JSON."""

from __future__ import annotations

import json
from math import isfinite

from model.config import LABELS, MONEY_BACK_LABELS
from model.decision import ALL

MONEY_BACK = "money_back"


def read_thresholds(value: str) -> dict[str, float]:
    """label or `all` → least confidence. Raises ValueError naming what is wrong."""
    if not value.strip():
        return {}
    if value.lstrip().startswith("{"):
        try:
            given = json.loads(value, object_pairs_hook=list)
        except ValueError as error:
            raise ValueError(f"is not JSON: {error}") from None
    else:
        given = [tuple(part.partition("=")[::2]) for part in value.split(",") if part.strip()]
    thresholds: dict[str, float] = {}
    for label, number in given:
        name = label.strip()
        if name not in (*LABELS, ALL):
            raise ValueError(f"{name!r} is none of {ALL}, {', '.join(LABELS)}")
        if name in thresholds:
            raise ValueError(f"{name} is given twice")
        try:
            thresholds[name] = float(number)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {number!r} is not a number") from None
        if not (isfinite(thresholds[name]) and 0 <= thresholds[name] <= 1):
            raise ValueError(f"{name}: {number} is not from 0 to 1")
    return thresholds


def read_always_review(value: str) -> frozenset[str]:
    """The labels that are named; `money_back` names all those that pay money. Raises ValueError for an unknown one."""
    names = {part.strip() for part in value.split(",") if part.strip()}
    for name in sorted(names - {MONEY_BACK, *LABELS}):
        raise ValueError(f"{name!r} is none of {MONEY_BACK}, {', '.join(LABELS)}")
    return frozenset((names - {MONEY_BACK}) | (set(MONEY_BACK_LABELS) if MONEY_BACK in names else set()))
