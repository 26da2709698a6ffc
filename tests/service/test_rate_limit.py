from __future__ import annotations

import pytest

from service.rate_limit import MAX_NAMES, TokenBuckets


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    now = [0.0]
    buckets = TokenBuckets(clock=lambda: now[0])
    assert [buckets.take("a", per_second=2, burst=3) for _ in range(4)] == [0, 0, 0, 0.5]
    now[0] = 0.5
    assert buckets.take("a", per_second=2, burst=3) == 0
    assert buckets.take("a", per_second=2, burst=3) == pytest.approx(0.5)
    now[0] = 1_000  # a long quiet fills it no further than its burst
    assert [buckets.take("a", per_second=2, burst=3) for _ in range(4)] == [0, 0, 0, 0.5]


def test_what_is_put_back_can_be_taken_again_and_names_do_not_share() -> None:
    buckets = TokenBuckets(clock=lambda: 0.0)
    for _ in range(5):
        assert buckets.take("a", per_second=1, burst=1) == 0
        buckets.put_back("a")
    assert buckets.take("a", per_second=1, burst=1) == 0
    assert buckets.take("b", per_second=1, burst=1) == 0
    assert buckets.take("a", per_second=1, burst=1) == 1


def test_endless_names_take_no_endless_memory() -> None:
    buckets = TokenBuckets(clock=lambda: 0.0)
    for number in range(MAX_NAMES + 100):
        buckets.take(str(number), per_second=1, burst=1)
    assert len(buckets._left) == MAX_NAMES
