"""A real Chromium before the real service: one browser a session, an own server, database and profile for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from model.classifier import Classifier
from service.settings import Settings
from service.upgrade import upgrade
from tests.service.browser.live import QUIET, LiveServer, chromium
from tests.service.easy_suite import write_suite

PATIENCE_MS = 30_000  # on a machine that does much else; nothing waits for as long as it lasts
AXE_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = chromium()
    if executable is None:
        pytest.skip("no Chromium on this machine; `apt-get install chromium` brings one")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET)
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
    return Settings(database_url=f"sqlite:///{tmp_path}/router.db", model_folder=tiny_folder, require_keys=False)


@pytest.fixture
def suite(tmp_path: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only suite: four cases, run in a moment, of which the tiny model fails one."""
    path = write_suite(tmp_path / "easy.yaml", tiny_classifier, wrong="minor")
    monkeypatch.setattr(Settings, "suite_files", lambda _: [path])
    return path


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
    context.set_default_timeout(PATIENCE_MS)
    faults = watched(context, server.url)
    yield context.new_page()
    context.close()
    assert faults == []


def violations(page: Page) -> list[str]:
    """What axe-core finds against WCAG 2.2 A and AA, as rule and place."""
    found = Axe().run(page, options=AXE_RULES).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}" for rule in found for node in rule["nodes"]]
