"""Promotions in the background, one after another: their suites take longer than a caller waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from service.errors import ServiceError, Unavailable
from service.recording import Stopped
from service.tables import Promotion

log = logging.getLogger(__name__)


class PromotionQueue:
    """A thread of its own, so that a promotion does not wait for scheduled runs."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="promotion")

    def promote(self, work: Callable[[], Promotion], *, within_seconds: float) -> Promotion | None:
        """What the work gives; None where it is not done in time, and goes on. What it raises in time is raised here,
        and Unavailable where the service stops; what it raises later is logged."""
        future = self._pool.submit(work)
        try:
            return future.result(timeout=within_seconds)
        except Stopped:
            raise Unavailable("the service stops") from None
        except TimeoutError:
            if future.done():  # the work's own
                raise
            future.add_done_callback(_log_what_became_of_it)
            return None

    async def close(self) -> None:
        """Waits for what is under way; its suites' runs have been told to stop."""
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=False)


def _log_what_became_of_it(future: Future[Promotion]) -> None:
    """Of a promotion whose caller was told to look later."""
    error = future.exception()
    if error is None:
        log.info("model %s was promoted", future.result().to_version)
    elif isinstance(error, ServiceError | Stopped):
        log.warning("a promotion came to nothing: %s", error)
    else:
        log.error("a promotion went wrong: %s", type(error).__name__, exc_info=error)
