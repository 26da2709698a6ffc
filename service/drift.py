"""Drift of stored mails, day by day: the newest of each, measured with the model that is served."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy.orm import Session

from model.drift import DriftMeter, Signal, estimated_accuracy, signals
from service.queries.drift import newest_predicted
from service.reading import Reader

SAMPLE = 1_000  # mails of one day: steady to a percent, and read again in about a second
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Drift:
    """One day against the reference. signals is empty, and the estimate None, where no mail can be measured."""

    since: datetime
    until: datetime
    mails: int  # that were measured, SAMPLE at most
    signals: tuple[Signal, ...]
    estimated_accuracy: float | None
    labels: dict[str, float]
    languages: dict[str, float]


def measure(session: Session, meter: DriftMeter, *, since: datetime, until: datetime) -> Drift:
    reference = meter.reference
    found = newest_predicted(
        session, since=since, until=until, model_version=meter.model_version, limit=SAMPLE if reference else 0
    )
    mails = meter.numbers(found)
    if reference is None or not mails:
        return Drift(since, until, 0, (), None, {}, {})
    return Drift(
        since=since,
        until=until,
        mails=len(mails),
        signals=tuple(signals(mails, reference)),
        estimated_accuracy=estimated_accuracy(mails, reference),
        labels=_shares([mail.label for mail in mails]),
        languages=_shares([mail.language for mail in mails]),
    )


def _shares(names: list[str]) -> dict[str, float]:
    return {name: count / len(names) for name, count in Counter(names).most_common()}


def last_day(reader: Reader, session: Session) -> Drift | None:
    """The last 24 hours as the model read them that serves now; None where it has no reference."""
    meter, now = DriftMeter(reader.classifier), datetime.now(UTC)
    return measure(session, meter, since=now - DAY, until=now) if meter.reference is not None else None


def days(session: Session, meter: DriftMeter, *, last: date, number: int) -> list[Drift]:
    """Whole days in UTC, newest first, up to and with `last`."""
    ends = [datetime.combine(last, time(), UTC) + DAY - back * DAY for back in range(number)]
    return [measure(session, meter, since=end - DAY, until=end) for end in ends]
