"""Drift over the wire."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from service.schemas.emails import Wire


class SignalOut(Wire):
    """One distance from the reference; threshold and shifted are null where the mails are too few to tell."""

    name: str
    distance: float
    threshold: float | None
    shifted: bool | None


class DriftDay(Wire):
    day: date
    mails: int = Field(description="that were measured: the newest of the day")
    estimated_accuracy: float | None = Field(description="without labels, from calibrated confidence")
    signals: list[SignalOut]
    labels: dict[str, float]
    languages: dict[str, float]


class ReferenceOut(Wire):
    """What the days are measured against."""

    mails: int
    source: str
    accuracy: float
    confidence: float
    labels: dict[str, float]
    languages: dict[str, float]


class DriftPage(Wire):
    """Days in UTC, newest first."""

    model_version: str
    reference: ReferenceOut | None = Field(description="null where the model folder has none")
    data: list[DriftDay]
    next_cursor: str | None = None
