"""Who calls: a key's or a session's hash looked up in the database, and remembered for a few seconds.

Remembering makes a key cost one query in CACHE_SECONDS and not one a request; it is also how long a revoked key or an
ended session may still be let in by a process that did not hear of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from service.access import Role
from service.credentials import KEY_SHAPE, digest, prefix_of, same
from service.queries import keys as key_queries
from service.queries import sessions as session_queries
from service.tables import ApiKey

CACHE_SECONDS = 5.0
CACHE_SIZE = 10_000
TOUCH_EVERY = timedelta(minutes=1)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Caller:
    """A key that may be used, or a browser that is signed in with one."""

    key_id: str
    name: str
    role: Role
    requests_per_second: float | None
    ends_at: datetime | None
    seen_at: datetime | None  # as the database has it


def usable(key: ApiKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


class Callers:
    """One instance a process, used from its event loop. Queries run in threads."""

    def __init__(
        self, sessions: sessionmaker[Session], *, idle: timedelta, clock: Callable[[], float] = monotonic
    ) -> None:
        self._sessions, self._idle, self._clock = sessions, idle, clock
        self._known: dict[str, tuple[float, Caller | None]] = {}
        self._asking: dict[str, asyncio.Task[Caller | None]] = {}
        self._touching: set[asyncio.Task[None]] = set()

    async def by_key(self, key: str) -> Caller | None:
        """None for a key that is unknown, revoked or expired. Raises SQLAlchemyError."""
        if not KEY_SHAPE.fullmatch(key):
            return None
        return await self._remembered(f"key {digest(key)}", lambda: self._find_key(key), self._touch_key)

    async def by_session(self, token: str) -> Caller | None:
        """None for a session that is unknown, ended or idle, or whose key has ended. Raises SQLAlchemyError."""
        hashed = digest(token)
        return await self._remembered(
            f"session {hashed}", lambda: self._find_session(hashed), lambda caller: self._touch_session(hashed, caller)
        )

    def forget(self) -> None:
        """After a revocation or a sign-out: in this process it holds at once."""
        self._known.clear()

    async def close(self) -> None:
        await asyncio.gather(*self._touching)

    async def _remembered(
        self, name: str, find: Callable[[], Caller | None], touch: Callable[[Caller], None]
    ) -> Caller | None:
        until, caller = self._known.get(name, (0.0, None))
        if until <= self._clock():
            if name not in self._asking:  # many requests with one key ask once
                self._asking[name] = asyncio.create_task(self._ask(name, find, touch))
            caller = await asyncio.shield(self._asking[name])
        if caller is not None and caller.ends_at is not None and caller.ends_at <= datetime.now(UTC):
            return None
        return caller

    async def _ask(
        self, name: str, find: Callable[[], Caller | None], touch: Callable[[Caller], None]
    ) -> Caller | None:
        try:
            caller = await asyncio.to_thread(find)
        finally:
            del self._asking[name]
        if len(self._known) >= CACHE_SIZE:
            self._known.clear()
        self._known[name] = (self._clock() + CACHE_SECONDS, caller)
        if caller is not None and (caller.seen_at is None or caller.seen_at <= datetime.now(UTC) - TOUCH_EVERY):
            task = asyncio.create_task(asyncio.to_thread(self._touch, touch, caller))  # nobody waits for it
            self._touching.add(task)
            task.add_done_callback(self._touching.discard)
        return caller

    def _find_key(self, key: str) -> Caller | None:
        with self._sessions() as session:
            row = key_queries.key_by_prefix(session, prefix=prefix_of(key))
        if row is None or not same(row.digest, digest(key)) or not usable(row, datetime.now(UTC)):
            return None
        return _caller(row, ends_at=row.expires_at, seen_at=row.last_used_at)

    def _find_session(self, hashed: str) -> Caller | None:
        now = datetime.now(UTC)
        with self._sessions() as session:
            found = session_queries.session_with_key(session, digest=hashed, now=now, idle=self._idle)
        if found is None or not usable(found[1], now):
            return None
        row, key = found
        ends_at = row.expires_at if key.expires_at is None else min(row.expires_at, key.expires_at)
        return _caller(key, ends_at=ends_at, seen_at=row.last_seen_at)

    def _touch(self, touch: Callable[[Caller], None], caller: Caller) -> None:
        try:
            touch(caller)
        except SQLAlchemyError as error:  # the next lookup tries again
            log.warning("last use of key %s was not noted: %s", caller.name, type(error).__name__)

    def _touch_key(self, caller: Caller) -> None:
        with self._sessions.begin() as session:
            key_queries.touch_key(session, key_id=caller.key_id, now=datetime.now(UTC))

    def _touch_session(self, hashed: str, caller: Caller) -> None:
        now = datetime.now(UTC)
        with self._sessions.begin() as session:
            session_queries.touch_session(session, digest=hashed, now=now)
            key_queries.touch_key(session, key_id=caller.key_id, now=now)


def _caller(key: ApiKey, *, ends_at: datetime | None, seen_at: datetime | None) -> Caller:
    return Caller(key.id, key.name, Role(key.role), key.requests_per_second, ends_at, seen_at)
