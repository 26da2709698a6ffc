"""A mail's share of the processor: past it, reading stops and the mail is refused.

Counted in the thread's own processor time, so that a busy machine refuses nothing that a quiet one reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time

from service.intake.errors import LimitError, Limits

_ends: ContextVar[tuple[float, float] | None] = ContextVar("ends", default=None)  # when, and the seconds allowed


@contextmanager
def within(seconds: float = Limits.seconds) -> Iterator[None]:
    """Everything that is read inside, in this thread, has these seconds together."""
    token = _ends.set((thread_time() + seconds, seconds))
    try:
        yield
    finally:
        _ends.reset(token)


def checkpoint() -> None:
    """Called between the steps of long work. Raises LimitError where the time is over."""
    ends = _ends.get()
    if ends is not None and thread_time() > ends[0]:
        raise LimitError("seconds", detail=f"the mail takes more than {ends[1]:g} seconds to read")
