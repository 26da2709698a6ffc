from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from service.batching import Batcher, Watch
from service.errors import QueueFull, Unavailable


def double(items: Sequence[int]) -> list[int | Exception]:
    return [item * 2 for item in items]


def make(process: object = double, **changes: float) -> Batcher[int, int]:
    options = {"max_batch": 8, "window_seconds": 0.05, "queue_size": 16, **changes}
    return Batcher(process, **options)  # type: ignore[arg-type]


class Notes(Watch):
    def __init__(self) -> None:
        self.sent: list[tuple[int, str]] = []
        self.waiting: list[int] = []
        self.waited: list[float] = []

    def queue_changed(self, waiting: int) -> None:
        self.waiting.append(waiting)

    def batch_sent(self, size: int, because: str, waited_seconds: Sequence[float]) -> None:
        self.sent.append((size, because))
        self.waited += waited_seconds


def test_callers_who_come_together_share_a_batch_and_get_their_own_answers() -> None:
    notes = Notes()

    async def scene() -> list[int]:
        batcher = Batcher(double, max_batch=8, window_seconds=0.05, queue_size=16, watch=notes)
        batcher.start()
        answers = await asyncio.gather(*(batcher.submit(n) for n in range(10)))
        await batcher.close()
        return answers

    assert asyncio.run(scene()) == [n * 2 for n in range(10)]
    assert notes.sent == [(8, "full"), (2, "window")]
    assert max(notes.waiting) == 10
    assert notes.waiting[-1] == 0
    assert len(notes.waited) == 10
    assert min(notes.waited) >= 0


def test_past_its_window_a_batch_takes_along_whom_the_event_loop_has_at_hand() -> None:
    notes = Notes()

    async def scene() -> list[int]:
        batcher = Batcher(double, max_batch=8, window_seconds=0, queue_size=16, watch=notes)
        batcher.start()

        async def next_mail() -> int:
            for _ in range(3):
                await asyncio.sleep(0)
            return await batcher.submit(2)

        answers = await asyncio.gather(batcher.submit(1), next_mail())
        await batcher.close()
        return answers

    assert asyncio.run(scene()) == [2, 4]
    assert notes.sent == [(2, "window")]


def test_what_closing_finds_is_sent_because_of_it() -> None:
    notes = Notes()

    async def scene() -> None:
        batcher = Batcher(double, max_batch=8, window_seconds=1, queue_size=16, watch=notes)
        batcher.start()
        answer = asyncio.create_task(batcher.submit(1))
        await asyncio.sleep(0)
        await batcher.close()
        assert await answer == 2

    asyncio.run(scene())
    assert notes.sent == [(1, "closing")]


def test_a_failed_batch_fails_each_of_its_callers_and_the_next_one_works() -> None:
    def process(items: Sequence[int]) -> list[int | Exception]:
        if 13 in items:
            raise OSError("disk full")
        return double(items)

    async def scene() -> tuple[list[object], int]:
        batcher = make(process)
        batcher.start()
        failed = await asyncio.gather(batcher.submit(13), batcher.submit(1), return_exceptions=True)
        well = await batcher.submit(2)
        await batcher.close()
        return list(failed), well

    failed, well = asyncio.run(scene())
    assert [str(error) for error in failed] == ["disk full", "disk full"]
    assert well == 4


def test_an_item_may_fail_alone() -> None:
    def process(items: Sequence[int]) -> list[int | Exception]:
        return [ValueError("odd") if item % 2 else item for item in items]

    async def scene() -> list[object]:
        batcher = make(process)
        batcher.start()
        answers = await asyncio.gather(*(batcher.submit(n) for n in (1, 2)), return_exceptions=True)
        await batcher.close()
        return list(answers)

    error, answer = asyncio.run(scene())
    assert (str(error), answer) == ("odd", 2)


def test_a_wrong_number_of_answers_is_an_error_for_all() -> None:
    async def scene() -> None:
        batcher = make(lambda _: [])
        batcher.start()
        with pytest.raises(RuntimeError, match="1 items got 0 answers"):
            await batcher.submit(1)
        await batcher.close()

    asyncio.run(scene())


def test_a_full_queue_refuses_and_closing_drains() -> None:
    gate = threading.Event()

    def process(items: Sequence[int]) -> list[int | Exception]:
        gate.wait(10)
        return double(items)

    async def scene() -> list[int]:
        batcher = make(process, max_batch=1, queue_size=2, window_seconds=0)
        batcher.start()
        first = asyncio.create_task(batcher.submit(1))
        while len(batcher):
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)  # the worker holds the first
        waiting = [asyncio.create_task(batcher.submit(n)) for n in (2, 3)]
        await asyncio.sleep(0.01)
        with pytest.raises(QueueFull, match="2 mails are waiting"):
            await batcher.submit(4)
        gate.set()
        closing = asyncio.create_task(batcher.close())
        answers = [await first, *(await asyncio.gather(*waiting))]
        await closing
        with pytest.raises(Unavailable):
            await batcher.submit(5)
        return answers

    assert asyncio.run(scene()) == [2, 4, 6]


def test_a_caller_who_has_gone_is_skipped() -> None:
    seen: list[int] = []
    gate = threading.Event()

    def process(items: Sequence[int]) -> list[int | Exception]:
        gate.wait(10)
        seen.extend(items)
        return double(items)

    async def scene() -> None:
        batcher = make(process, max_batch=1, window_seconds=0)
        batcher.start()
        first = asyncio.create_task(batcher.submit(1))
        await asyncio.sleep(0.01)
        gone = asyncio.create_task(batcher.submit(2))
        await asyncio.sleep(0.01)
        gone.cancel()
        gate.set()
        await first
        assert await batcher.submit(3) == 6
        await batcher.close()

    asyncio.run(scene())
    assert seen == [1, 3]
