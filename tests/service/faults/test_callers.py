"""Callers that are slow, stop half-way, or hold every connection that a process may have."""

from __future__ import annotations

import os
import re
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

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


@pytest.fixture(scope="module")
def long_list(service: ServiceProcess) -> str:
    """The head of a request whose answer is larger than what lies in the kernel's buffers."""
    words = "refund " * 140_000
    assert [post(service.port, text=f"{n} {words}")[0] for n in range(6)] == [201] * 6
    return "GET /v1/emails?limit=6 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def slow_reader(port: int, head: str) -> socket.socket:
    """A connection on which an answer has begun to arrive."""
    connection = socket.socket()
    connection.settimeout(CALL_SECONDS)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    connection.connect(("127.0.0.1", port))
    connection.sendall(head.encode())
    assert connection.recv(1) == b"H"
    return connection


def connections(service: ServiceProcess) -> int:
    files = [f"/proc/{service.pid}/fd/{number}" for number in os.listdir(f"/proc/{service.pid}/fd")]
    return sum(os.path.exists(file) and os.readlink(file).startswith("socket:") for file in files)


def test_a_caller_who_does_not_take_its_answer_is_ended(service: ServiceProcess, long_list: str) -> None:
    before, until = connections(service), monotonic() + CALL_SECONDS
    with slow_reader(service.port, long_list):
        while connections(service) > before:
            assert monotonic() < until, "the connection is held"
            sleep(0.1)
    assert post(service.port, text="refund the fee")[0] == 201


def test_a_caller_who_takes_its_answer_slowly_gets_all_of_it(service: ServiceProcess, long_list: str) -> None:
    answer = b"H"
    with slow_reader(service.port, long_list) as connection:
        while piece := connection.recv(200_000, socket.MSG_WAITALL):
            answer += piece
            sleep(PATIENCE / 8)
    head, _, body = answer.partition(b"\r\n\r\n")
    told = re.search(rb"(?i)content-length: (\d+)", head)
    assert told is not None
    assert len(body) == int(told[1]) > 4_000_000


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
