"""A mail that was too long already before the model saw it goes to review, as one that is too long for the model."""

from __future__ import annotations

from dataclasses import replace

from model.decision import Decision, Read
from service.intake.compose import Intake


def as_far_as_read(read: Read, intake: Intake) -> Read:
    """The same reading, `truncated` where the mail's HTML was not read to its end."""
    if not intake.truncated or intake.automatic or read.prediction.truncated:
        return read
    decision = Decision("review", (*read.decision.reasons, "truncated"))
    return replace(read, prediction=replace(read.prediction, truncated=True), decision=decision)
