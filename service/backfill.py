"""After an upgrade: the mails that were stored before are added to the full-text index, a batch a transaction.

The service runs meanwhile, and so may the release before. A back-fill that is broken off goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable

from service.database import make_engine, make_sessions
from service.queries import backfill as queries
from service.retries import tried_again

BATCH = 1_000
TIMEOUT_SECONDS = 60.0  # for a batch; a busy writer may hold SQLite's lock as long


def backfill(database_url: str, *, begin: Callable[[int], None], advance: Callable[[int], None]) -> int:
    """begin is told how many mails there are to add, if any, and advance of each batch. How many were added."""
    engine = make_engine(database_url, timeout_seconds=TIMEOUT_SECONDS)
    sessions = make_sessions(engine)

    def batch(_: int) -> int:
        with sessions.begin() as session:
            before_id = queries.position(session)
            return queries.add_batch(session, before_id=before_id, size=BATCH) if before_id is not None else 0

    try:
        with sessions() as session:
            before_id = queries.position(session)
            if before_id is None:
                return 0
            begin(queries.count_before(session, before_id=before_id))
        total = 0
        while added := tried_again(batch):
            total += added
            advance(added)
        return total
    finally:
        engine.dispose()
