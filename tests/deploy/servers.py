"""Real servers for the tests of deploy/: started on free ports, stopped whatever happens."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 60.0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_until(ready: Callable[[], bool], what: str, seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.1)


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


@contextmanager
def running(
    command: list[str], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command, stdout=stream, stderr=subprocess.STDOUT, cwd=ROOT, env={**os.environ, **(environment or {})}
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def service(
    folder: Path, database_url: str, model: Path, port: int, **settings: str
) -> Iterator[subprocess.Popen[bytes]]:
    """`refund-router serve` as its own process, ready for mail."""
    environment = {
        "REFUND_ROUTER_DATABASE_URL": database_url,
        "REFUND_ROUTER_MODEL_FOLDER": str(model),
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        **{f"REFUND_ROUTER_{name.upper()}": value for name, value in settings.items()},
    }
    log = folder / f"service-{port}.log"
    with running([sys.executable, "-m", "service.cli", "serve", "--port", str(port)], log, environment) as process:
        wait_until(
            lambda: process.poll() is not None or answers(f"http://127.0.0.1:{port}/readyz"), log.read_text("utf-8")
        )
        assert process.poll() is None, log.read_text("utf-8")
        yield process
