"""/v1/drift: how far each day's mails are from those that the model was calibrated on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from model.drift import DriftMeter
from service.dependencies import ReaderDep, SessionDep
from service.drift import Drift, days
from service.routers.emails import PROBLEMS
from service.schemas.drift import DriftDay, DriftPage, ReferenceOut, SignalOut

router = APIRouter(prefix="/v1/drift", tags=["drift"])


@router.get("", responses={422: PROBLEMS[422], 503: PROBLEMS[503]})
def get_drift(
    session: SessionDep, reader: ReaderDep, days_back: Annotated[int, Query(alias="days", ge=1, le=90)] = 7
) -> DriftPage:
    """The last days, today first, as the served model read them."""
    meter = DriftMeter(reader.classifier)
    return drift_page(meter, days(session, meter, last=datetime.now(UTC).date(), number=days_back))


def drift_page(meter: DriftMeter, found: list[Drift]) -> DriftPage:
    reference = meter.reference
    return DriftPage(
        model_version=meter.model_version,
        reference=ReferenceOut(
            mails=reference.mails,
            source=reference.source,
            accuracy=reference.accuracy,
            confidence=reference.confidence,
            labels=reference.labels,
            languages=reference.languages,
        )
        if reference is not None
        else None,
        data=[
            DriftDay(
                day=drift.since.date(),
                mails=drift.mails,
                estimated_accuracy=drift.estimated_accuracy,
                signals=[
                    SignalOut(name=s.name, distance=s.distance, threshold=s.threshold, shifted=s.shifted)
                    for s in drift.signals
                ],
                labels=drift.labels,
                languages=drift.languages,
            )
            for drift in found
        ],
    )
