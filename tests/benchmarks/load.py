"""Load for the benchmarks: connections that are kept open, posts that were written beforehand, latencies that are kept.

A plain reader of HTTP/1.1 on asyncio's streams, so that the load costs as little of the machine as can be.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

TEXTS = (
    "Refund the delivery fee, not the cake. It came an hour late and the driver was rude about it.",
    "Hello, I was charged twice for order 5521, once on Monday and again today. Please give one of them back. Mina",
    "The mug arrived broken. I do not want money, just send me another one please.",
    "Where is the refund that you promised me last week?",
    "Can you change the address on my order? I moved in May and forgot to tell you, sorry for the trouble.",
    "Please cancel my subscription before it renews on the 3rd, I do not use it any more.",
)


@dataclass
class Outcome:
    """What a load met. latencies in seconds; failed counts answers that were not 200 or 201."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: int) -> float:
        """In seconds; share from 1 to 99."""
        return statistics.quantiles(self.latencies, n=100)[share - 1]


def mails(prefix: str) -> Iterator[dict[str, Any]]:
    """Mails without end, each with a message id and words of its own."""
    number = 0
    while True:
        yield {"message_id": f"<{prefix}.{number}@bench.example>", "text": f"{TEXTS[number % len(TEXTS)]} ({number})"}
        number += 1


class Connection:
    def __init__(self, port: int, path: str) -> None:
        self._port, self._path = port, path

    async def __aenter__(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def post(self, body: bytes) -> int:
        head = f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
        await self._reader.readexactly(length)
        return int(lines[0].split()[1])


Wrap = Callable[[dict[str, Any]], dict[str, Any]]


async def _closed(port: int, path: str, connections: int, seconds: float, bodies: Iterator[bytes]) -> Outcome:
    outcome, started = Outcome(), perf_counter()

    async def caller() -> None:
        async with Connection(port, path) as connection:
            while (sent := perf_counter()) - started < seconds:
                _note(outcome, await connection.post(next(bodies)), sent)

    await asyncio.gather(*(caller() for _ in range(connections)))
    outcome.seconds = perf_counter() - started
    return outcome


async def _open(
    port: int, path: str, connections: int, seconds: float, rate: float, bodies: Iterator[bytes]
) -> Outcome:
    """A mail's latency counts from when it was due, so that a server which stalls is not spared what came meanwhile."""
    outcome, started = Outcome(), perf_counter()
    due: Iterator[float] = (started + number / rate for number in range(int(seconds * rate)))

    async def caller() -> None:
        async with Connection(port, path) as connection:
            for moment in due:
                await asyncio.sleep(max(0.0, moment - perf_counter()))
                _note(outcome, await connection.post(next(bodies)), moment)

    await asyncio.gather(*(caller() for _ in range(connections)))
    outcome.seconds = perf_counter() - started
    return outcome


def _note(outcome: Outcome, status: int, since: float) -> None:
    outcome.latencies.append(perf_counter() - since)
    if status not in (200, 201):
        outcome.failed += 1


def _bodies(prefix: str, wrap: Wrap) -> Iterator[bytes]:
    return (json.dumps(wrap(mail)).encode() for mail in mails(prefix))


def closed_load(
    port: int, prefix: str, *, seconds: float, connections: int = 32, path: str = "/v1/emails", wrap: Wrap = dict
) -> Outcome:
    """Each connection posts its next mail when it has the last one's answer: as much as the server can do."""
    return asyncio.run(_closed(port, path, connections, seconds, _bodies(prefix, wrap)))


def open_load(
    port: int,
    prefix: str,
    *,
    seconds: float,
    rate: float,
    connections: int = 64,
    path: str = "/v1/emails",
    wrap: Wrap = dict,
) -> Outcome:
    """So many mails a second, evenly, whatever the server does."""
    return asyncio.run(_open(port, path, connections, seconds, rate, _bodies(prefix, wrap)))
