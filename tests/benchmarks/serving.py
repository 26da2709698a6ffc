"""Servers for the benchmarks, each in processes that share one core; the load has another, where there is one."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep

import psutil

CORE = 0
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "REFUND_ROUTER_CHECK_AT_START": "off",
    "REFUND_ROUTER_CHECK_EVERY_HOURS": "0",
    "REFUND_ROUTER_LOG_FORMAT": "json",
}


def onto_core() -> None:
    """This process and those that it starts run on one core."""
    os.sched_setaffinity(0, {CORE})


def off_core() -> None:
    """This process leaves the servers' core to them, where there is another."""
    others = os.sched_getaffinity(0) - {CORE}
    if others:
        os.sched_setaffinity(0, others)


@contextmanager
def server(command: list[str], port: int, ready: str, **environment: str) -> Iterator[tuple[psutil.Process, float]]:
    """The server's first process, and the seconds from its start until GET `ready` was 200."""
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, **ENVIRONMENT, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=onto_core,
    )
    watched = psutil.Process(process.pid)
    try:
        while _status(port, ready) != 200:
            if process.poll() is not None or perf_counter() - started > 300:
                raise RuntimeError(f"{' '.join(command)} did not start")
            sleep(0.01)
        yield watched, perf_counter() - started
    finally:
        family = [watched, *watched.children(recursive=True)] if process.poll() is None else []
        process.terminate()
        _, alive = psutil.wait_procs(family, timeout=30)
        for left in alive:
            left.kill()
        process.wait()


@contextmanager
def refund_router(folder: Path, model: Path, port: int) -> Iterator[tuple[psutil.Process, float]]:
    """The service itself, on an SQLite file in the folder."""
    settings = {
        "REFUND_ROUTER_DATABASE_URL": f"sqlite:///{folder}/router.db",
        "REFUND_ROUTER_MODEL_FOLDER": str(model),
    }
    command = ["-m", "service.cli", "serve", "--no-keys", "--port", str(port)]
    with server(command, port, "/readyz", **settings) as started:
        yield started


def _status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def memory_megabytes(process: psutil.Process) -> float:
    """Resident, of the process and those that it started."""
    return sum(member.memory_info().rss for member in [process, *process.children(recursive=True)]) / 1e6
