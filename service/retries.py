"""Transactions that are tried again where the database's trouble passes by itself."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from time import sleep
from typing import TypeVar

from sqlalchemy.exc import DBAPIError, IntegrityError

log = logging.getLogger(__name__)

TRIES = 4
FIRST_PAUSE_SECONDS = 0.02  # before the second try; doubled before each further one, and never the same for two
PASSING_STATES = ("40001", "40P01")  # SQLSTATE of a serialization failure and of a deadlock

T = TypeVar("T")


def passes_by_itself(error: DBAPIError) -> bool:
    """Whether the same transaction may well succeed if it is tried again: another process stored a row first, the two
    were in each other's way, or the connection was lost. A statement that ran into its time limit is not among them."""
    state = getattr(error.orig, "sqlstate", None)
    return isinstance(error, IntegrityError) or error.connection_invalidated or state in PASSING_STATES


def tried_again(work: Callable[[int], T]) -> T:
    """What work(attempt) returns; attempts are 0 to TRIES - 1. Raises the last one's error, and at once one that does
    not pass by itself."""
    for attempt in range(TRIES - 1):
        try:
            return work(attempt)
        except DBAPIError as error:
            if not passes_by_itself(error):
                raise
            log.warning("database: %s, tried again", type(error.orig).__name__)
        sleep(FIRST_PAUSE_SECONDS * 2**attempt * random.uniform(0.5, 1.5))
    return work(TRIES - 1)
