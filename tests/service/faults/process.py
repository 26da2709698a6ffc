"""`refund-router serve` in a process of its own, and single calls to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

START_SECONDS = CALL_SECONDS = 90.0  # on a busy machine; a quiet one needs two, and less


class ServiceProcess:
    """Without keys, on a free port of loopback, with the given model, on a database that it brings up to date."""

    def __init__(self, database_url: str, model_folder: Path, **environment: str) -> None:
        settings = {
            "REFUND_ROUTER_DATABASE_URL": database_url,
            "REFUND_ROUTER_MODEL_FOLDER": str(model_folder),
            "REFUND_ROUTER_CHECK_AT_START": "off",
        }
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 — closed by stop()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve", "--no-keys", "--port", "0"],
            env={**os.environ, **settings, **environment},
            stdout=self._log,
            stderr=self._log,
        )
        self.pid = self._process.pid
        try:
            self.port = self._wait_for_port()
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def log(self) -> str:
        return os.pread(self._log.fileno(), 1_000_000, 0).decode()

    def _wait_for_port(self) -> int:
        until = monotonic() + START_SECONDS
        while monotonic() < until and self._process.poll() is None:
            found = re.search(r"console: http://127\.0\.0\.1:(\d+)", self.log())
            if found and get(int(found[1]), "/readyz")[0] == 200:
                return int(found[1])
            sleep(0.02)
        raise AssertionError(f"the service did not start: {self.log()}")

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        """The exit status; below 0 a signal's number."""
        return self._process.wait(START_SECONDS)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._process.poll() is None:
            self.send(number)
        try:
            self.wait()
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._log.close()


@contextmanager
def running(database_url: str, model_folder: Path, **environment: str) -> Iterator[ServiceProcess]:
    service = ServiceProcess(database_url, model_folder, **environment)
    try:
        yield service
    finally:
        service.stop(signal.SIGKILL)


def get(port: int, path: str) -> tuple[int, dict[str, Any]]:
    """Status and answer; status 0 where the connection was refused or ended without one."""
    return _call(port, "GET", path, None)


def post(port: int, **mail: Any) -> tuple[int, dict[str, Any]]:
    """Likewise for POST /v1/emails."""
    return _call(port, "POST", "/v1/emails", json.dumps(mail).encode())


def _call(port: int, method: str, path: str, body: bytes | None) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CALL_SECONDS)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json", "Connection": "close"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException):
        return 0, {}
    finally:
        connection.close()


def until_status(wanted: int, ask: Any, seconds: float = CALL_SECONDS) -> dict[str, Any]:
    """Ask until the answer has this status; the answer."""
    until = monotonic() + seconds
    while monotonic() < until:
        status, answer = ask()
        if status == wanted:
            return dict(answer)
        sleep(0.05)
    raise AssertionError(f"no {wanted} within {seconds} seconds, but {status}: {answer}")


class HalfPost:
    """A connection over which the head of a post and half of its body went."""

    def __init__(self, port: int, **mail: Any) -> None:
        self._body = json.dumps(mail).encode()
        self._half = len(self._body) // 2
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=CALL_SECONDS)
        head = "POST /v1/emails HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"
        lines = [*head, f"Content-Length: {len(self._body)}", "", ""]
        self.connection.sendall("\r\n".join(lines).encode() + self._body[: self._half])

    def __enter__(self) -> HalfPost:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def finish(self) -> None:
        self.connection.sendall(self._body[self._half :])

    def answer(self) -> tuple[int, bool]:
        """The status, and whether the connection ends after it."""
        response = http.client.HTTPResponse(self.connection)
        response.begin()
        response.read()
        return response.status, self.ended()

    def ended(self) -> bool:
        """Waits, at most for the socket's time limit, for the other side to end the connection."""
        try:
            return self.connection.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False
