"""Turns what the batcher and the database's pool tell of themselves into metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.pool import QueuePool

from service.batching import SentBecause, Watch
from service.metrics import BATCH_SIZE, BATCHES, POOL, QUEUE_LENGTH, STAGE_SECONDS


class BatchMetrics(Watch):
    def queue_changed(self, waiting: int) -> None:
        QUEUE_LENGTH.set(waiting)

    def batch_sent(self, size: int, because: SentBecause, waited_seconds: Sequence[float]) -> None:
        BATCH_SIZE.observe(size)
        BATCHES.labels(because).inc()
        for seconds in waited_seconds:
            STAGE_SECONDS.labels("queue").observe(seconds)


def watch_pool(engine: Engine) -> None:
    """Count the connections that are in use, and say how many the pool may open."""
    pool = engine.pool
    in_use = POOL.labels("in_use")
    in_use.set(0)
    if isinstance(pool, QueuePool):
        POOL.labels("max").set(pool.size() + max(0, pool._max_overflow))

    def taken(*_: Any) -> None:
        in_use.inc()

    def given_back(*_: Any) -> None:
        in_use.dec()

    event.listen(engine, "checkout", taken)
    event.listen(engine, "checkin", given_back)
