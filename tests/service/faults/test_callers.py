"""Callers that are slow, stop half-way, or hold every connection that a process may have."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.service.faults.process import CALL_SECONDS, HalfPost, ServiceProcess, get, post, running, until_status

PATIENCE = 1.0


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, tiny_folder: Path) -> Iterator[ServiceProcess]:
    url = f"sqlite:///{tmp_path_factory.mktemp('callers')}/router.db"
    with running(url, tiny_folder, REFUND_ROUTER_CLIENT_TIMEOUT_SECONDS=str(PATIENCE)) as service:
        yield service


def test_bodies_that_stop_half_way_hold_up_nobody_and_their_connections_end(service: ServiceProcess) -> None:
    with ExitStack() as stack:  # sixty are more than there are threads
        halves = [stack.enter_context(HalfPost(service.port, text="refund the cake")) for _ in range(60)]
        assert post(service.port, text="refund the fee")[0] == 201
        assert [half.answer() for half in halves] == [(408, True)] * 60


def test_a_caller_who_leaves_half_way_is_no_error(service: ServiceProcess) -> None:
    for content_type in ("application/json", "message/rfc822"):
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            lines = ["POST /v1/emails HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {content_type}"]
            connection.sendall("\r\n".join([*lines, "Content-Length: 100", "", "half"]).encode())
    assert post(service.port, text="refund the fee")[0] == 201
    assert "Traceback" not in service.log()


@pytest.mark.parametrize(
    "sent",
    [
        b"",  # a connection and no word
        b"POST /v1/emails HT",  # half of a head
        b"POST /v1/emails HTTP/1.1\r\nHost: evil\r\nContent-Length: 100\r\n\r\nhalf",  # refused before its body came
    ],
)
def test_a_connection_that_says_too_little_ends(service: ServiceProcess, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=CALL_SECONDS) as connection:
        connection.sendall(sent)
        try:
            while connection.recv(1_000):
                pass
        except ConnectionResetError:
            pass
    assert get(service.port, "/readyz")[0] == 200


def test_a_process_without_file_descriptors_recovers_also_where_the_callers_stay(service: ServiceProcess) -> None:
    used = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
    _, hard = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (used + 10, hard))
    with ExitStack() as stack:
        for _ in range(used + 30):
            stack.enter_context(socket.create_connection(("127.0.0.1", service.port), timeout=CALL_SECONDS))
        until_status(201, lambda: post(service.port, text="refund the fee"))
        assert "out of system resource" in service.log()  # of accept: the fault was there
    until_status(200, lambda: get(service.port, "/readyz"))
    assert post(service.port, text="refund the cake")[0] == 201
