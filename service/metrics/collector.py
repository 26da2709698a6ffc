"""Numbers that live in the database and not in a process, read at a scrape and kept for a while.

refund_router_database_up                         1 where the database answered within the collector's time
refund_router_inbound_last_received_timestamp_seconds  when the newest mail was stored
refund_router_review_backlog_mails                mails that wait for an agent
refund_router_review_oldest_age_seconds           how long the oldest of them has waited; 0 where none does
refund_router_drift_distance                      how far the last day's mails are from the reference, by signal
refund_router_drift_threshold                     the largest distance that chance explains, by signal
refund_router_estimated_accuracy_ratio            accuracy without labels, from calibrated confidence
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from threading import Lock
from time import monotonic

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.reference import SIZES
from service.database import make_engine, make_sessions
from service.drift import Drift
from service.metrics import NAMESPACE
from service.queries.backlog import newest_mail, review_backlog

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 2.0  # under Prometheus' own for a scrape, so that a slow database does not take the metrics away
KEPT_SECONDS = 15.0
DRIFT_KEPT_SECONDS = 600.0
LEAST_MAILS = min(SIZES)  # for a verdict


class DatabaseCollector(Collector):
    """One connection of its own, so that a full pool does not hide the numbers that tell of it."""

    def __init__(
        self,
        database_url: str,
        *,
        measure: Callable[[Session], Drift | None] = lambda _: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """measure: the last day's drift, from stored mails; None where the model has no reference."""
        self._engine = make_engine(database_url, timeout_seconds=TIMEOUT_SECONDS)
        self._sessions: sessionmaker[Session] = make_sessions(self._engine)
        self._clock, self._lock = clock, Lock()
        self._kept: list[GaugeMetricFamily] = []
        self._read_at: float | None = None
        self._measure = measure
        self._drift: Drift | None = None
        self._drift_at: float | None = None

    def collect(self) -> Iterator[GaugeMetricFamily]:
        with self._lock:  # scrapes that come together share one reading
            if self._read_at is None or self._clock() - self._read_at >= KEPT_SECONDS:
                self._kept = self._families()
                self._read_at = self._clock()
            yield from self._kept

    def drift(self) -> Drift | None:
        """The last day's, as a scrape tells it. Raises SQLAlchemyError where the database does not answer."""
        with self._lock, self._sessions() as session:
            return self._last_drift(session)

    def close(self) -> None:
        self._engine.dispose()

    def _families(self) -> list[GaugeMetricFamily]:
        up = GaugeMetricFamily(f"{NAMESPACE}_database_up", "Whether the database answers")
        try:
            with self._sessions() as session:
                found = _received(session) + _review(session) + self._drift_families(session)
        except SQLAlchemyError as error:
            log.warning("metrics: the database does not answer: %s", type(error).__name__)
            up.add_metric([], 0)
            return [up, *_families_of(None)]
        up.add_metric([], 1)
        return [up, *found]

    def _drift_families(self, session: Session) -> list[GaugeMetricFamily]:
        return _families_of(self._last_drift(session))

    def _last_drift(self, session: Session) -> Drift | None:
        """Of the last day's mails; read anew far less often than the rest, for it takes a second of work."""
        if self._drift_at is None or self._clock() - self._drift_at >= DRIFT_KEPT_SECONDS:
            self._drift = self._measure(session)
            found = self._drift is not None and self._drift.mails >= LEAST_MAILS
            self._drift_at = self._clock() if found else None  # of few mails it costs little, and more may come soon
        return self._drift


def _families_of(drift: Drift | None) -> list[GaugeMetricFamily]:
    distance = GaugeMetricFamily(f"{NAMESPACE}_drift_distance", "Distance from the reference", labels=["signal"])
    threshold = GaugeMetricFamily(f"{NAMESPACE}_drift_threshold", "Largest that chance explains", labels=["signal"])
    accuracy = GaugeMetricFamily(f"{NAMESPACE}_estimated_accuracy_ratio", "Accuracy without labels")
    for signal in drift.signals if drift is not None else ():
        distance.add_metric([signal.name], signal.distance)
        if signal.threshold is not None:
            threshold.add_metric([signal.name], signal.threshold)
    if drift is not None and drift.estimated_accuracy is not None:
        accuracy.add_metric([], drift.estimated_accuracy)
    return [distance, threshold, accuracy]


def _received(session: Session) -> list[GaugeMetricFamily]:
    name, words = f"{NAMESPACE}_inbound_last_received_timestamp_seconds", "When the newest mail was stored"
    family, newest = GaugeMetricFamily(name, words), newest_mail(session)
    if newest is not None:
        family.add_metric([], newest.timestamp())
    return [family]


def _review(session: Session) -> list[GaugeMetricFamily]:
    count, oldest = review_backlog(session)
    age = (datetime.now(UTC) - oldest).total_seconds() if oldest is not None else 0.0
    return [
        GaugeMetricFamily(f"{NAMESPACE}_review_backlog_mails", "Mails that wait for an agent", value=count),
        GaugeMetricFamily(
            f"{NAMESPACE}_review_oldest_age_seconds", "How long the oldest of them has waited", value=max(0.0, age)
        ),
    ]
