"""Nothing moves under a reader's eyes while a page comes (Core Web Vitals' layout shift), with scripts and without."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from tests.service.browser.live import LiveServer
from tests.service.browser.test_wcag import REPLY

OBSERVE = """
window.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(entry => { shift += entry.value }))
  .observe({type: "layout-shift", buffered: true});
"""
LEAST_SEEN = 0.02  # a fraction of the page times the way it went; a busy machine paints a page before it is whole


def addresses(server: LiveServer) -> list[str]:
    for number in range(3):
        mail = server.send(message_id=f"<{number}@x>", subject=f"Order {number}", text=REPLY)
    return [
        "/",
        "/?label=other",
        f"/mails/{mail['id']}",
        "/review",
        "/checks",
        "/checks/cases",
        "/models",
        "/health",
        "/lab",
    ]


def test_no_page_shifts_while_it_comes(page: Page, server: LiveServer) -> None:
    page.add_init_script(OBSERVE)
    moved = {}
    for address in addresses(server):
        page.goto(address, wait_until="networkidle" if address == "/lab" else "load")
        if address == "/lab":
            page.locator("#arranged .reading").wait_for()
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        moved[address] = page.evaluate("shift")
    assert {address: shift for address, shift in moved.items() if shift > LEAST_SEEN} == {}


def test_what_only_scripts_can_serve_is_not_shown_without_them(browser: Browser, server: LiveServer) -> None:
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    for address in addresses(server):
        page.goto(address)
        found = page.locator(".needs-script")
        assert found.count() > 0, address
        assert not any(entry.is_visible() for entry in found.all()), address
    context.close()
