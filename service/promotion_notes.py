"""What became of a promotion that was asked for, in the audit: there it is found while it goes on and after a refusal,
by every process and after a restart. What came of it in the end is the promotion's own row, or one of these notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy.orm import Session, sessionmaker

from service.errors import ServiceError
from service.queries import audit
from service.recording import Stopped

ASKED = "model_promotion_asked"
REFUSED = "model_promotion_refused"
FAILED = "model_promotion_failed"  # it came to no verdict
DONE = "model_promotion"


def note(sessions: sessionmaker[Session], action: str, version: str, details: Mapping[str, Any], *, actor: str) -> None:
    with sessions.begin() as session:
        audit.record(session, actor=actor, action=action, subject=version, details=details)


@contextmanager
def failure_noted(sessions: sessionmaker[Session], version: str, *, actor: str) -> Iterator[None]:
    """What goes wrong inside is noted, and goes on."""
    try:
        yield
    except BaseException as error:  # also one who ends a command by Ctrl+C
        why = str(error) if isinstance(error, ServiceError | Stopped) else type(error).__name__
        note(sessions, FAILED, version, {"why": why}, actor=actor)
        raise
