"""Real servers for the tests of deploy/: started on free ports, stopped whatever happens."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2 as httpx

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 180.0  # on a machine that others use; a quiet one needs three


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
    with log.open("ab") as stream:
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


class Service:
    """`refund-router serve --no-keys` as a process of its own; it can be stopped and started again in its place."""

    def __init__(self, folder: Path, database_url: str, model: Path, environment: Mapping[str, str]) -> None:
        self.port, self._stack = free_port(), ExitStack()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / f"service-{self.port}.log"
        self._environment = {
            "REFUND_ROUTER_DATABASE_URL": database_url,
            "REFUND_ROUTER_MODEL_FOLDER": str(model),
            "REFUND_ROUTER_CHECK_AT_START": "off",
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": "1",
            **environment,
        }
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "service.cli", "serve", "--no-keys", "--port", str(self.port)]
        self.process = self._stack.enter_context(running(command, self._log, self._environment))

    def wait_until_ready(self) -> None:
        wait_until(lambda: self.process.poll() is not None or answers(f"{self.url}/readyz"), f"{self.url} is not ready")
        assert self.process.poll() is None, self._log.read_text("utf-8")

    def stop(self) -> int:
        """SIGTERM; its exit code."""
        self.process.terminate()
        return self.process.wait(60)

    def close(self) -> None:
        self._stack.close()


@contextmanager
def services(folder: Path, database_url: str, model: Path, count: int, **environment: str) -> Iterator[list[Service]]:
    """So many on one database, which is up to date, all ready for mail."""
    started: list[Service] = []
    try:
        for _ in range(count):
            started.append(Service(folder, database_url, model, environment))
        for service in started:
            service.wait_until_ready()
        yield started
    finally:
        for service in started:
            service.close()


@contextmanager
def nginx(folder: Path, ports: list[int]) -> Iterator[str]:
    """The shipped configuration in front of these ports, as the user who runs this; its address."""
    port = free_port()
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    shipped = [line for line in text.splitlines() if line.strip().startswith("server 127.0.0.1:")]
    servers = [shipped[0].replace("127.0.0.1:8081", f"127.0.0.1:{number}") for number in ports]
    text = text.replace("\n".join(shipped), "\n".join(servers)).replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    text = text.replace("/var/log/nginx", str(folder)).replace("/run/", f"{folder}/")
    spool = "".join(
        f"    {name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(text.replace("http {\n", "http {\n" + spool, 1), encoding="utf-8")
    user = " user root;" if os.geteuid() == 0 else ""  # pytest's folders are closed to nginx's own
    command = ["nginx", "-c", str(config), "-g", f"daemon off;{user}"]
    with running(command, folder / "nginx.log"):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), "nginx does not answer")
        yield f"http://127.0.0.1:{port}"
