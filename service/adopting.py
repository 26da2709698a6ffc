"""A case of a suite's run, taken into the shop's own suite: asked of every model from then on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from service.errors import InvalidRequest, NotFound
from service.made_up import replaced, stand_ins
from service.queries import checks as queries
from service.queries import shop_cases as shop_queries
from service.queries.case_erasure import CASE_ID
from service.shop_suite import NO_MAIL, add_case, case_of_mail, origin_of
from service.tables import ShopCase


def told_case(kind: str, readings: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """What a run kept of a case, as a suite tells it, without id: a pair as it stands; a mail of which spans or a
    decision were expected, with these; else its first mail, as a pair where the model marked two phrases to exchange.
    None where no label was expected."""
    expected = [reading for reading in readings if reading["expected"]]
    if not expected:
        return None
    if kind == "swap" and len(expected) == 2:
        a, b = ({"text": reading["text"], "label": reading["expected"]} for reading in expected)
        return {"kind": "swap", "a": a, "b": b}
    text, label = expected[0]["text"], expected[0]["expected"]
    asked = {name: value for name in ("spans", "decision") if (value := expected[0].get(f"expected_{name}"))}
    if asked:
        return {"kind": "minimum", "text": text, "label": label, **asked}
    refund, keep = (_marked(expected[0], role) for role in ("refund", "keep"))
    return case_of_mail(text, label, refund, keep)


def _marked(reading: dict[str, Any], role: str) -> str | None:
    """The surest phrase that the model marked with the role."""
    spans = [span for span in reading.get("spans") or [] if span["role"] == role]
    best = max(spans, key=lambda span: float(span["confidence"]), default=None)
    return str(best["text"]) if best is not None else None


def adopt_case(
    session: Session, *, run_id: str, number: int, names: Sequence[str], severity: str | None, actor: str
) -> ShopCase:
    """Add a run's case to the shop's own suite, personal details and the names replaced in all its texts alike; of the
    severity that it had there, if no other is given. Raises NotFound; InvalidRequest for a case without a label that
    it must get; Conflict for one that is there."""
    kept = queries.case_of_run(session, run_id=run_id, number=number)
    if kept is None:
        raise NotFound("no run holds this case")
    own = shop_queries.lock_case(session, case_id=kept.case_id[:CASE_ID])  # of the shop's suite itself, once retired
    session.refresh(kept)  # it may have been erased while the lock was waited for
    case = told_case(kept.kind, kept.readings)
    if case is None:
        raise InvalidRequest("number: this case asks for no label, so it is none of a mail")
    sides = [case["a"], case["b"]] if case["kind"] == "swap" else [case]
    details = stand_ins("\n".join(side["text"] for side in sides), names, seed=kept.case_id)
    for side in sides:
        side["text"] = replaced(side["text"], details)
    if "spans" in case:
        case["spans"] = {role: [replaced(words, details) for words in marked] for role, marked in case["spans"].items()}
    origin = origin_of(own) if own is not None else NO_MAIL
    return add_case(session, {"severity": severity or kept.severity, **case}, origin=origin, actor=actor)
