from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session

from model.classifier import Classifier
from service.database import make_engine, make_sessions
from service.intake.compose import Intake
from service.reading import Job, Reader, Stored
from service.retries import TRIES, tried_again
from service.schemas.emails import EmailIn
from tests.service.test_emails import rows

on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
on_both = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
JOBS = [Job(Intake("mail"), EmailIn(text="mail")), Job(Intake("mail"))]  # neither can be known again by what it says


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url, timeout_seconds=5)
    yield engine
    engine.dispose()


def in_each_other_s_way(engine: Engine, first_reads: str, isolation: str) -> list[int]:
    """Two transactions that meet half-way on their first try; how often each was tried."""
    meeting = threading.Barrier(2)
    with engine.begin() as connection:
        connection.execute(text("create table pairs (name text primary key, n int)"))
        connection.execute(text("insert into pairs values ('a', 0), ('b', 0)"))

    def transaction(mine: str, other: str) -> int:
        def work(attempt: int) -> int:
            with engine.connect().execution_options(isolation_level=isolation) as connection, connection.begin():
                connection.execute(text(first_reads), {"name": mine})
                if attempt == 0:
                    meeting.wait(10)
                connection.execute(text("update pairs set n = n + 1 where name = :name"), {"name": other})
            return attempt + 1

        return tried_again(work)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(transaction, *names) for names in (("a", "b"), ("b", "a"))]
        return sorted(future.result() for future in both)


@on_postgresql
def test_a_deadlock_is_tried_again(engine: Engine) -> None:
    update = "update pairs set n = n + 1 where name = :name"
    assert in_each_other_s_way(engine, update, "READ COMMITTED") == [1, 2]
    with engine.connect() as connection:
        assert connection.execute(text("select n from pairs")).scalars().all() == [2, 2]


@on_postgresql
def test_a_serialization_failure_is_tried_again(engine: Engine) -> None:
    assert in_each_other_s_way(engine, "select n from pairs where name = :name", "SERIALIZABLE") == [1, 2]


def end_connection(engine: Engine, session: Session) -> None:
    pid = session.scalar(text("select pg_backend_pid()"))
    with engine.connect() as other:
        other.execute(text("select pg_terminate_backend(:pid)"), {"pid": pid})


@on_postgresql
def test_a_batch_whose_connection_is_lost_is_stored_all_the_same(
    engine: Engine, database_url: str, tiny_classifier: Classifier
) -> None:
    sessions, lost = make_sessions(engine), []

    def lose_once(session: Session) -> None:
        if not lost:
            lost.append(session)
            end_connection(engine, session)

    event.listen(sessions, "before_commit", lose_once)
    answers = Reader(tiny_classifier, sessions, auto_threshold=0.9).process(JOBS)
    assert len(lost) == 1
    assert all(isinstance(answer, Stored) and answer.created for answer in answers)
    assert (rows(database_url, "emails"), rows(database_url, "predictions")) == (1, 2)


@on_postgresql
def test_connections_that_are_lost_again_and_again_end_in_an_error_and_store_nothing(
    engine: Engine, database_url: str, tiny_classifier: Classifier
) -> None:
    sessions, lost = make_sessions(engine), []

    def lose(session: Session) -> None:
        lost.append(session)
        end_connection(engine, session)

    event.listen(sessions, "before_commit", lose)
    with pytest.raises(OperationalError):
        Reader(tiny_classifier, sessions, auto_threshold=0.9).process(JOBS)
    assert len(lost) == TRIES
    assert rows(database_url, "predictions") == 0


@on_both
def test_a_commit_that_arrived_though_its_answer_was_lost_is_not_made_again(
    engine: Engine, database_url: str, tiny_classifier: Classifier
) -> None:
    sessions, lost = make_sessions(engine), []

    def lose_once(session: Session) -> None:
        if not lost:
            lost.append(session)
            raise OperationalError("commit", {}, Exception("connection lost"), connection_invalidated=True)

    event.listen(sessions, "after_commit", lose_once)
    answers = Reader(tiny_classifier, sessions, auto_threshold=0.9).process(JOBS)
    assert all(isinstance(answer, Stored) and answer.created for answer in answers)
    assert (rows(database_url, "emails"), rows(database_url, "predictions")) == (1, 2)


@on_postgresql
def test_a_statement_that_runs_into_its_time_limit_is_not_tried_again(database_url: str) -> None:
    hasty, tried = make_engine(database_url, timeout_seconds=0.2), []

    def work(attempt: int) -> None:
        tried.append(attempt)
        with hasty.begin() as connection:
            connection.execute(text("select pg_sleep(5)"))

    with pytest.raises(DBAPIError, match="statement timeout"):
        tried_again(work)
    hasty.dispose()
    assert tried == [0]
