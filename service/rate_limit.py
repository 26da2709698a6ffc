"""Token buckets: so many a second, and a burst after a quiet time. Each process has its own."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

MAX_NAMES = 10_000


class TokenBuckets:
    """One bucket a name, full at first. Not for several threads at once."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # name → tokens, and when that was so

    def take(self, name: str, *, per_second: float, burst: float) -> float:
        """Take a token. Where there is none, nothing is taken and the seconds until there is one are returned."""
        tokens = self._tokens(name, per_second, burst)
        if tokens < 1:
            return (1 - tokens) / per_second
        if name not in self._left and len(self._left) >= MAX_NAMES:
            del self._left[next(iter(self._left))]  # the one that has been known for longest
        self._left[name] = (tokens - 1, self._clock())
        return 0.0

    def put_back(self, name: str) -> None:
        """Undo a take."""
        if name in self._left:
            tokens, since = self._left[name]
            self._left[name] = (tokens + 1, since)

    def _tokens(self, name: str, per_second: float, burst: float) -> float:
        if name not in self._left:
            return burst
        tokens, since = self._left[name]
        return min(burst, tokens + (self._clock() - since) * per_second)
