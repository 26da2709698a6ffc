"""/v1/labels: what a mail can be labelled with."""

from __future__ import annotations

from fastapi import APIRouter

from model.config import MONEY_BACK_LABELS
from service.dependencies import ReaderDep
from service.schemas.emails import LabelOut, LabelPage

router = APIRouter(prefix="/v1/labels", tags=["labels"])

DESCRIPTIONS = {
    "refund_item": "wants money back for goods or a service they bought, but not for everything",
    "refund_fee": "wants money back for a charge put on top of the goods, and not for the goods",
    "refund_order": "wants everything back, or asks for a refund and narrows it to nothing",
    "replacement": "wants goods instead of money: a swap, a resend, a missing part, a repair",
    "cancel_order": "wants something stopped that they have not received yet",
    "billing_error": "says a charge is wrong: twice, a wrong amount, unknown, after cancelling",
    "refund_status": "chases a refund already promised, requested or shown as sent",
    "refund_policy": "asks what the rules are and has not asked for anything yet",
    "no_refund": "tells something and wants no money",
    "other": "anything else: tracking, address, invoice, spam, automatic mail, nothing to read",
}


@router.get("")
def get_labels(reader: ReaderDep) -> LabelPage:
    """Every label, with the least confidence at which it is acted on without a person."""
    return LabelPage(
        data=[
            LabelOut(
                name=name,
                description=DESCRIPTIONS[name],
                money_back=name in MONEY_BACK_LABELS,
                auto_threshold=reader.threshold(name),
                always_review=name in reader.overrides.always_review,
            )
            for name in reader.classifier.classes
        ]
    )
