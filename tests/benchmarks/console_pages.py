"""The console in a real Chromium, before 100 mails and before many: first paint, layout shift, pauses.

    python -m tests.benchmarks.console_pages                     # 100,000 mails on SQLite
    python -m tests.benchmarks.console_pages --mails 1000000

Each page is opened some times on either service, by turns; what is shown is the median. First paint is the browser's
own first-contentful-paint, in milliseconds from the start of the navigation; layout shift its sum of unexpected shifts
(Core Web Vitals: up to 0.1 is good); a pause is the longest task of the page's main thread (over 50 ms by definition)
while the inbox is walked through by key. The bars are of issue 7: first paint under 200 ms on loopback, no shift.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from service.database import make_engine
from service.upgrade import upgrade
from tests.benchmarks.list_pages import fill
from tests.service.browser.live import QUIET, chromium
from tests.service.faults.process import ServiceProcess, get, running

FEW, OPENINGS, KEYS = 100, 7, 40
PAINT_MILLISECONDS, SHIFT = 200.0, 0.02
OBSERVE = """
window.found = {shift: 0, pause: 0};
const watch = (type, take) =>
  new PerformanceObserver(list => list.getEntries().forEach(take)).observe({type, buffered: true});
watch("layout-shift", entry => { if (!entry.hadRecentInput) found.shift += entry.value });
watch("longtask", entry => { found.pause = Math.max(found.pause, entry.duration) });
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@contextmanager
def serving(folder: Path, mails: int, model: Path) -> Iterator[ServiceProcess]:
    """`refund-router serve` over so many mails, none of which is too old to be kept."""
    url = f"sqlite:///{folder}/{mails}.db"
    upgrade(url)
    engine = make_engine(url, timeout_seconds=600)
    fill(engine, mails)
    engine.dispose()
    with running(url, model, REFUND_ROUTER_TEXT_RETENTION_DAYS="36500") as service:
        yield service


def addresses(service: ServiceProcess) -> dict[str, str]:
    status, newest = get(service.port, "/v1/emails?limit=1")
    assert status == 200, newest
    return {
        "inbox": "/",
        "inbox, to be reviewed": "/?decision=review",
        "inbox, a word": "/?q=parrot",
        "a mail": f"/mails/{newest['data'][0]['id']}",
        "review": "/review",
        "checks": "/checks",
        "models": "/models",
        "health": "/health",
        "order lab": "/lab",
    }


def opened(page: Page, address: str) -> tuple[float, float]:
    """First paint in milliseconds and the sum of shifts until the page has been still for a moment."""
    page.goto(address)
    while (paint := page.evaluate(PAINT)) is None:
        page.wait_for_timeout(20)  # not wait_for_function: the page's policy forbids what that evaluates
    page.wait_for_timeout(300)
    return float(paint), float(page.evaluate("found.shift"))


def walked(page: Page) -> float:
    """The longest task in milliseconds, 0 under 50, while KEYS mails are walked through."""
    page.goto("/")
    page.wait_for_timeout(300)
    page.evaluate("found.pause = 0")
    for _ in range(KEYS):
        page.keyboard.press("j")
    page.wait_for_timeout(200)
    return float(page.evaluate("found.pause"))


def new_page(browser: Browser, service: ServiceProcess) -> Page:
    page = browser.new_page(base_url=f"http://127.0.0.1:{service.port}", viewport={"width": 1280, "height": 800})
    page.add_init_script(OBSERVE)
    page.goto("/")  # what is cached from the first visit on is cached
    return page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=100_000)
    parser.add_argument("--model", type=Path, default=Path("model/small"), help="model folder; the pages read no mail")
    asked = parser.parse_args()
    executable = chromium()
    if executable is None:
        sys.stderr.write("no Chromium on this machine; `apt-get install chromium` brings one\n")
        return 2
    missed = 0
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright, ExitStack() as stack:
        services = [
            stack.enter_context(serving(Path(name), mails, asked.model.absolute())) for mails in (FEW, asked.mails)
        ]
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET)
        pages = [new_page(browser, service) for service in services]
        known = [addresses(service) for service in services]
        print(f"{'':24} paint, {FEW:,} mails   {asked.mails:,}   ratio   layout shift")  # noqa: T201 — its output
        for title in known[0]:
            found: list[list[tuple[float, float]]] = [[], []]
            for _ in range(OPENINGS):
                for page, where, into in zip(pages, known, found, strict=True):
                    into.append(opened(page, where[title]))
            few, many = (statistics.median(paint for paint, _ in side) for side in found)
            shift = max(shift for side in found for _, shift in side)
            missed += many > PAINT_MILLISECONDS or shift > SHIFT
            print(f"{title:24} {few:9.0f} ms {many:13.0f} ms {many / few:6.2f} {shift:11.4f}")  # noqa: T201
        pauses = [max(walked(page) for _ in range(3)) for page in pages]
        print(f"longest pause over {KEYS} keys: {pauses[0]:.0f} ms, {pauses[1]:.0f} ms")  # noqa: T201
        browser.close()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
