"""A real Chromium before the real service: one browser a session, an own server, database and profile for each test."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from model.classifier import Classifier
from service.app import create_app
from service.settings import Settings
from service.upgrade import upgrade

AXE_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no Chromium on this machine; `apt-get install chromium` brings one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "router.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def live_settings(empty_database: Path, tmp_path: Path, tiny_folder: Path) -> Settings:
    shutil.copy(empty_database, tmp_path / "router.db")
    return Settings(database_url=f"sqlite:///{tmp_path}/router.db", model_folder=tiny_folder)


@pytest.fixture
def server(live_settings: Settings, tiny_classifier: Classifier) -> Iterator[LiveServer]:
    server = LiveServer(live_settings, tiny_classifier)
    yield server
    server.stop()


def watched(context: BrowserContext, own: str) -> list[str]:
    """What must not happen in a page, as it happens: a script's error, a refused resource, a request to elsewhere."""
    faults: list[str] = []
    context.on("weberror", lambda found: faults.append(f"error: {found.error}"))
    context.on("request", lambda sent: None if sent.url.startswith((own, "data:")) else faults.append(sent.url))
    context.on(
        "console",
        lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None,
    )
    return faults


@pytest.fixture
def page(browser: Browser, server: LiveServer) -> Iterator[Page]:
    """A page whose scripts may not fail, that may not break the policy, and that may ask nobody but the service."""
    context = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    faults = watched(context, server.url)
    yield context.new_page()
    context.close()
    assert faults == []


def violations(page: Page) -> list[str]:
    """What axe-core finds against WCAG 2.2 A and AA, as rule and place."""
    found = Axe().run(page, options=AXE_RULES).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}" for rule in found for node in rule["nodes"]]
