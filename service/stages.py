"""The parts of a batch's way and when each was, for those who trace it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import time_ns


@dataclass(frozen=True)
class Stage:
    """`queue`, `inference` or `store`; since and until in nanoseconds of the wall clock."""

    name: str
    since: int
    until: int


STAGES: ContextVar[list[Stage] | None] = ContextVar("refund_router_stages", default=None)  # of the batch at work


@contextmanager
def stage(name: str) -> Iterator[None]:
    """What happens inside is a stage of the batch, also where it fails."""
    since = time_ns()
    try:
        yield
    finally:
        stages = STAGES.get()
        if stages is not None:
            stages.append(Stage(name, since, time_ns()))
