"""What an agent may do next with a mail of a label; a shop puts its own sentences in the settings."""

from __future__ import annotations

import json
from collections.abc import Mapping

from model.config import LABELS

NEXT_STEPS: Mapping[str, str] = {
    "refund_item": "Check the order and return the price of what is marked, not the rest.",
    "refund_fee": "Return the fee that is marked; the goods stay paid.",
    "refund_order": "Check whether the goods come back, then return the whole payment.",
    "replacement": "Offer the replacement; no money moves.",
    "cancel_order": "Stop the order before it leaves, and tell the customer whether it could be stopped.",
    "billing_error": "Compare the charge with the order's payments.",
    "refund_status": "Look the refund up and answer with its date and way.",
    "refund_policy": "Answer with the rule that was asked about.",
    "no_refund": "Thank the customer; no money moves.",
    "other": "Pass it to whoever answers such mail.",
}


def read_next_steps(given: str) -> dict[str, str]:
    """A JSON object of sentences by label; empty where nothing is given. Raises ValueError for anything else."""
    try:
        steps = json.loads(given or "{}")
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None
    if not isinstance(steps, dict) or not all(isinstance(step, str) for step in steps.values()):
        raise ValueError("is not a JSON object of sentences by label")
    if unknown := sorted(set(steps) - set(LABELS)):
        raise ValueError(f"{unknown[0]!r} is no label")
    return steps


def next_step(label: str, own: Mapping[str, str]) -> str:
    """own: the settings' sentences, which go before ours."""
    return own.get(label) or NEXT_STEPS.get(label, "")
