"""One process at a time does what is claimed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy.orm import Session, sessionmaker

from service import claiming
from service.claiming import claimed
from service.database import make_engine, make_sessions


@pytest.fixture
def sessions(database_url: str) -> Iterator[sessionmaker[Session]]:
    engine = make_engine(database_url, timeout_seconds=10)
    yield make_sessions(engine)
    engine.dispose()


def test_of_those_who_claim_at_the_same_moment_one_gets_it(sessions: sessionmaker[Session]) -> None:
    together, done = Barrier(4), Barrier(4)

    def claim(_: int) -> bool:
        together.wait()
        with claimed(sessions, "work") as renew:
            done.wait()  # all have asked before one gives back
            return renew is not None

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(claim, range(4))) == [False, False, False, True]


def test_a_claim_is_free_again_after_the_work_also_where_it_broke(sessions: sessionmaker[Session]) -> None:
    with pytest.raises(OSError, match="broke"), claimed(sessions, "work"):
        raise OSError("broke")
    with claimed(sessions, "work") as renew, claimed(sessions, "other work") as other:
        assert renew is not None
        assert other is not None


def test_a_claim_that_is_not_renewed_is_anyones_and_a_renewed_one_is_not(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "RENEW_SECONDS", 0.0)
    with claimed(sessions, "work") as first:
        assert first is not None
        monkeypatch.setattr(claiming, "FREE_AFTER", timedelta(0))
        with claimed(sessions, "work") as second:
            assert second is not None
            monkeypatch.setattr(claiming, "FREE_AFTER", timedelta(seconds=60))
            first()  # it has lost the claim, and takes nothing back
            with claimed(sessions, "work") as third:
                assert third is None
    with claimed(sessions, "work") as fourth:
        assert fourth is not None
