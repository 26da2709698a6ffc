"""Work that only one of the processes on a database is to do at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic

import uuid_utils
from sqlalchemy.orm import Session, sessionmaker

from service.queries import claims as queries

RENEW_SECONDS = 15.0
FREE_AFTER = timedelta(seconds=180)  # without a renewal: the process that held it has ended or hangs


@contextmanager
def claimed(sessions: sessionmaker[Session], name: str) -> Iterator[Callable[[], None] | None]:
    """Gives what renews the claim, to be called again and again during the work; None where another process has it."""
    holder, now = str(uuid_utils.uuid7()), datetime.now(UTC)
    with sessions.begin() as session:
        taken = queries.take(session, name=name, holder=holder, now=now, free_before=now - FREE_AFTER)
    if not taken:
        yield None
        return
    renewed_at = monotonic()

    def renew() -> None:
        nonlocal renewed_at
        if monotonic() - renewed_at >= RENEW_SECONDS:
            renewed_at = monotonic()
            with sessions.begin() as session:
                queries.renew(session, name=name, holder=holder, now=datetime.now(UTC))

    try:
        yield renew
    finally:
        with sessions.begin() as session:
            queries.give_back(session, name=name, holder=holder)
