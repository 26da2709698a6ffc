"""Many callers, one forward pass and one commit. Knows nothing of HTTP.

Callers meet in a bounded queue. A single worker takes what is there, up to max_batch, waits window_seconds for company
and then only while the event loop still has others at hand; it hands the batch to a function that runs in a thread, and
each caller gets its own answer or error. A caller who has gone is skipped. Closing drains what was accepted.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter, time_ns
from typing import Generic, Literal, TypeVar

from service.errors import QueueFull, Unavailable
from service.stages import STAGES, Stage

In = TypeVar("In")
Out = TypeVar("Out")
SentBecause = Literal["full", "window", "closing"]
QUIET_TURNS = 4  # of the event loop: from a request's arrival to the queue it takes two


@dataclass(frozen=True)
class _Waiting(Generic[In, Out]):
    item: In
    answer: asyncio.Future[Out]
    since: float = field(default_factory=perf_counter)
    since_ns: int = field(default_factory=time_ns)
    context: contextvars.Context = field(default_factory=contextvars.copy_context)  # the caller's


class Watch:
    """What a batcher tells of its work; this one does nothing with it."""

    def queue_changed(self, waiting: int) -> None:
        """So many items wait now."""

    def batch_sent(self, size: int, because: SentBecause, waited_seconds: Sequence[float]) -> None:
        """A batch goes to be processed; waited_seconds has each item's time in the queue."""


class Batcher(Generic[In, Out]):
    """process: a batch in, as many answers out, in order; an answer that is an exception goes to its own caller."""

    def __init__(
        self,
        process: Callable[[Sequence[In]], Sequence[Out | Exception]],
        *,
        max_batch: int,
        window_seconds: float,
        queue_size: int,
        watch: Watch | None = None,
        trace: Callable[[Sequence[Stage]], None] | None = None,
    ) -> None:
        """trace is called in the context of each caller of a batch, with the queue's stage and the batch's."""
        if max_batch < 1 or queue_size < 1 or window_seconds < 0:
            raise ValueError(f"max_batch {max_batch}, queue_size {queue_size}, window_seconds {window_seconds}")
        self._process, self._max_batch, self._window_seconds = process, max_batch, window_seconds
        self._queue: asyncio.Queue[_Waiting[In, Out] | None] = asyncio.Queue(queue_size)
        self._watch, self._trace = watch or Watch(), trace
        self._worker: asyncio.Task[None] | None = None
        self._closed = False

    def start(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Take no more, answer all that was taken, stop."""
        self._closed = True
        await self._queue.put(None)
        if self._worker is not None:
            await self._worker

    def __len__(self) -> int:
        return self._queue.qsize()

    async def submit(self, item: In) -> Out:
        """Wait for this item's answer. Raises QueueFull, Unavailable when closing, or the item's own error."""
        if self._closed:
            raise Unavailable("the service is stopping; try again")
        waiting = _Waiting[In, Out](item, asyncio.get_running_loop().create_future())
        try:
            self._queue.put_nowait(waiting)
        except asyncio.QueueFull:
            raise QueueFull(f"{self._queue.maxsize} mails are waiting already; try again") from None
        self._watch.queue_changed(len(self))
        return await waiting.answer

    async def _collect(self) -> tuple[list[_Waiting[In, Out]], SentBecause]:
        """The next batch, and why it goes now; `closing` means that the end of the queue was reached."""
        first = await self._queue.get()
        if first is None:
            return [], "closing"
        batch = [first]
        deadline = asyncio.get_running_loop().time() + self._window_seconds
        while len(batch) < self._max_batch:
            try:
                if self._queue.empty():
                    async with asyncio.timeout_at(deadline):
                        entry = await self._queue.get()
                else:
                    entry = self._queue.get_nowait()
            except TimeoutError:
                if await self._is_quiet():
                    return batch, "window"
                continue
            if entry is None:
                return batch, "closing"
            batch.append(entry)
        return batch, "full"

    async def _is_quiet(self) -> bool:
        """Whether the event loop has nobody else at hand. The answers to a batch bring its callers' next mails, and to
        read these takes the loop longer than the window: without this the few who had not been in the batch would go
        alone, and the two parties would miss each other every time."""
        for _ in range(QUIET_TURNS):
            await asyncio.sleep(0)
            if not self._queue.empty():
                return False
        return True

    async def _work(self) -> None:
        because: SentBecause = "window"
        while because != "closing":
            taken, because = await self._collect()
            self._watch.queue_changed(len(self))
            batch = [waiting for waiting in taken if not waiting.answer.done()]
            if not batch:
                continue
            now = perf_counter()
            self._watch.batch_sent(len(batch), because, [now - waiting.since for waiting in batch])
            sent, stages = time_ns(), list[Stage]()
            STAGES.set(stages)
            answers = await self._answers([waiting.item for waiting in batch])
            if self._trace is not None:
                for waiting in batch:
                    waiting.context.run(self._trace, [Stage("queue", waiting.since_ns, sent), *stages])
            for waiting, answer in zip(batch, answers, strict=True):
                if waiting.answer.done():
                    continue
                if isinstance(answer, Exception):
                    waiting.answer.set_exception(answer)
                else:
                    waiting.answer.set_result(answer)

    async def _answers(self, items: list[In]) -> Sequence[Out | Exception]:
        """One answer for each item whatever happens: a failed batch fails each of its callers."""
        try:
            answers = await asyncio.to_thread(self._process, items)
        except Exception as error:
            return [error] * len(items)
        if len(answers) != len(items):
            return [RuntimeError(f"{len(items)} items got {len(answers)} answers")] * len(items)
        return answers
