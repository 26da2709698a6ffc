"""What an agent may do next with a mail of a label."""

from __future__ import annotations

from collections.abc import Mapping

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
