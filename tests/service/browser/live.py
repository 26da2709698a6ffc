"""The service on a free port of loopback, as a browser meets it."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import urllib.request
from time import monotonic, sleep
from typing import Any

import uvicorn

from model.classifier import Classifier
from service.app import create_app
from service.settings import Settings

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
]


def chromium() -> str | None:
    """A browser's program, or None where this machine has none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class LiveServer:
    """The service on a free port of loopback, in a thread; it can be stopped and started again in its place."""

    def __init__(self, settings: Settings, classifier: Classifier, key: str | None = None) -> None:
        self._settings, self._classifier, self._key = settings, classifier, key
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        app = create_app(self._settings, self._classifier)
        config = uvicorn.Config(app, "127.0.0.1", self.port, log_level="error", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the service did not start"
            sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive(), "the service did not stop"

    def send(self, **mail: Any) -> dict[str, Any]:
        """Post a mail and give its answer."""
        return self.ask("POST", "/v1/emails", **mail)

    def ask(self, method: str, address: str, **body: Any) -> dict[str, Any]:
        """A call of the service as programs make it, with the server's key where it has one."""
        headers = {"Content-Type": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.url + address, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    def run_suites(self, **wanted: Any) -> str:
        """The id of the first run that this asks for, when it has ended."""
        run: str = self.ask("POST", "/v1/checks/runs", **wanted)["data"][0]["id"]
        deadline = monotonic() + 600
        while self.ask("GET", f"/v1/checks/runs/{run}")["run"]["state"] == "running":
            assert monotonic() < deadline, "the run does not end"
            sleep(0.05)
        return run
