"""The service on a free port of loopback, as a browser meets it."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import urllib.request
from time import sleep
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

    def __init__(self, settings: Settings, classifier: Classifier) -> None:
        self._settings, self._classifier = settings, classifier
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
        request = urllib.request.Request(
            f"{self.url}/v1/emails", json.dumps(mail).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            answer: dict[str, Any] = json.load(response)
        return answer
