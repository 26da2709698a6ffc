"""Verdicts of agents: what stands on a mail, and whether a new verdict can be taken."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from service.errors import Conflict, InvalidRequest
from service.metrics import FEEDBACK
from service.queries import feedback as queries
from service.queries import reviews as review_queries
from service.queries.audit import record
from service.review import due_at, refuse_if_held
from service.schemas.feedback import FeedbackIn, MarkedSpan, State
from service.settings import Settings
from service.tables import Email, Feedback, StoredPrediction

Span = dict[str, Any]


def state(email: Email) -> State:
    """open, accepted or corrected: what the newest verdict left."""
    newest = email.feedback[-1].verdict if email.feedback else "withdrawn"
    return "open" if newest == "withdrawn" else "accepted" if newest == "accepted" else "corrected"


def standing(email: Email) -> tuple[str, list[Span]]:
    """The label and the spans that stand: the newest verdict's, else the model's."""
    if email.feedback:
        return email.feedback[-1].label, email.feedback[-1].spans
    return email.prediction.label, bare_spans(email.prediction.spans)


def judged_spans(verdict: Feedback, prediction: StoredPrediction) -> bool:
    """Whether the verdict says of the spans that they are right, and not of the label alone."""
    if verdict.spans_judged is not None:
        return verdict.spans_judged
    # of a release that did not keep it
    own = verdict.label == prediction.label or verdict.spans != bare_spans(prediction.spans)
    return own and verdict.verdict != "withdrawn"


def in_doubt(email: Email) -> bool:
    """Whether an agent corrected the label alone, so that the model's spans, made for another label, are in doubt."""
    return state(email) == "corrected" and not judged_spans(email.feedback[-1], email.prediction)


def bare_spans(spans: Sequence[Span]) -> list[Span]:
    """Role and place alone, in the order of the text."""
    bare = [{"role": span["role"], "start": span["start"], "end": span["end"]} for span in spans]
    return sorted(bare, key=lambda span: (span["start"], span["end"]))


def check_spans(text: str, spans: Sequence[MarkedSpan]) -> None:
    """Raises InvalidRequest for a span outside the text, without words, with a space at its edge, or over another."""
    for number, span in enumerate(spans):
        where = f"spans.{number}"
        if span.end > len(text):
            raise InvalidRequest(f"{where}.end: {span.end} is past the text's end, {len(text)}")
        if span.start >= span.end:
            raise InvalidRequest(f"{where}.end: {span.end} is not after start, {span.start}")
        words = text[span.start : span.end]
        if words != words.strip():
            raise InvalidRequest(f"{where}: begins or ends with a space")
    placed = sorted(enumerate(spans), key=lambda entry: (entry[1].start, entry[1].end))
    for (left, before), (right, after) in zip(placed, placed[1:], strict=False):
        if after.start < before.end:
            raise InvalidRequest(f"spans.{right}: overlaps spans.{left}")


def verdict_values(email: Email, given: FeedbackIn, classes: Collection[str]) -> tuple[str, list[Span]]:
    """The label and spans that this verdict sets. Raises InvalidRequest where it contradicts itself or the text, and
    Conflict for a withdrawal where no verdict stands."""
    label, spans = email.prediction.label, bare_spans(email.prediction.spans)
    if given.label is not None and given.label not in classes:
        raise InvalidRequest(f"label: {given.label!r} is none of {', '.join(classes)}")
    if given.spans is not None:
        check_spans(email.text, given.spans)
    wanted_label = label if given.label is None else given.label
    wanted_spans = spans if given.spans is None else bare_spans([span.model_dump() for span in given.spans])
    changed = (wanted_label, wanted_spans) != (label, spans)
    if given.verdict == "withdrawn" and (given.label is not None or given.spans is not None):
        raise InvalidRequest("verdict: withdrawn takes neither label nor spans")
    if given.verdict == "withdrawn" and state(email) == "open":
        raise Conflict("no verdict stands on this mail, so none can be withdrawn")
    if given.verdict == "accepted" and changed:
        raise InvalidRequest("verdict: label or spans are not the model's, so this is corrected, not accepted")
    if given.verdict == "corrected" and not changed:
        raise InvalidRequest("verdict: label and spans are the model's, so this is accepted, not corrected")
    return wanted_label, wanted_spans


def kept_reason(email: Email, given: FeedbackIn) -> str | None:
    """None on a mail that holds no text: no erasure would come to take the words away."""
    return given.reason if email.erased_at is None else None


def stands_already(email: Email, given: FeedbackIn, label: str, spans: list[Span], *, judged: bool, actor: str) -> bool:
    """Whether the newest verdict is this one by the same agent: a key that was struck twice makes one row."""
    if not email.feedback:
        return False
    newest: Feedback = email.feedback[-1]
    known = (
        newest.verdict,
        newest.label,
        newest.spans,
        judged_spans(newest, email.prediction),
        newest.reason,
        newest.actor,
    )
    return known == (given.verdict, label, spans, judged, kept_reason(email, given), actor)


def take_verdict(
    session: Session, email: Email, given: FeedbackIn, *, actor: str, classes: Collection[str], settings: Settings
) -> bool:
    """Append the verdict on a mail that is locked, and end its wait for review, or begin it again. False where the
    verdict stood already. Raises InvalidRequest, and Conflict where another agent has claimed the mail."""
    now = datetime.now(UTC)
    review = review_queries.lock_review(session, email_id=email.id)
    if review is not None and not given.force:
        refuse_if_held(review, actor, now)
    label, spans = verdict_values(email, given, classes)
    judged = given.verdict == "accepted" or given.spans is not None
    if stands_already(email, given, label, spans, judged=judged, actor=actor):
        return False
    queries.append_feedback(
        session,
        email=email,
        verdict=given.verdict,
        label=label,
        spans=spans,
        spans_judged=judged,
        reason=kept_reason(email, given),
        actor=actor,
    )
    if given.verdict != "withdrawn":
        FEEDBACK.labels(email.prediction.label, label).inc()
    record(session, actor=actor, action=f"feedback_{given.verdict}", subject=email.id, details={"label": label})
    if given.verdict == "withdrawn" and email.prediction.decision == "review":
        due = due_at(email.prediction, patience_seconds=settings.review_patience_seconds)
        review_queries.add_reviews(session, due={email.id: due})
    elif review is not None:
        session.delete(review)
    until = now + timedelta(seconds=settings.claim_seconds)
    review_queries.extend_claims(session, actor=actor, now=now, until=until)
    return True
