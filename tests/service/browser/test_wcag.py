"""Every page by axe-core against WCAG 2.2 A and AA, in both themes, on a telephone and on a wall."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

pytestmark = pytest.mark.usefixtures("suite")
TEXT = "Refund the delivery fee, not the cake."
REPLY = f"{TEXT}\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> Refund the cake?\n"


@pytest.fixture
def addresses(server: LiveServer) -> list[str]:
    """Every page with something on it: a mail that waits, one that was corrected, a run with a failed case."""
    waits = server.send(message_id="<1@x>", **{"from": "mina@example.org"}, subject="Order 5", text=REPLY)
    decided = server.send(message_id="<2@x>", **{"from": "mina@example.org"}, subject="Order 6", text=TEXT)
    other = "other" if decided["label"] != "other" else "refund_fee"
    server.ask("POST", f"/v1/emails/{decided['id']}/feedback", verdict="corrected", label=other)
    run = server.run_suites()
    case = server.ask("POST", "/v1/checks/cases", email_id=decided["id"], label=other)
    mails = [f"/mails/{mail['id']}" for mail in (waits, decided)]
    return [
        "/",
        *mails,
        f"/mails/{waits['id']}/why",
        "/review",
        "/checks",
        f"/checks/{run}",
        "/checks/cases",
        f"/checks/cases/{case['id']}",
        "/models",
        "/health",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_meets_wcag_and_does_not_scroll_sideways_on_a_telephone(
    page: Page, addresses: list[str], scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 360, "height": 800})
    for address in (*addresses, "/sign-in", "/mails/none"):
        page.goto(address)
        assert violations(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


def test_every_page_meets_wcag_on_a_wall(page: Page, addresses: list[str]) -> None:
    page.set_viewport_size({"width": 3840, "height": 2160})
    for address in addresses:
        page.goto(address)
        assert violations(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


def test_every_page_but_the_lab_can_be_read_without_javascript(
    browser: Browser, server: LiveServer, addresses: list[str]
) -> None:
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    for address in addresses:
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        for button in page.get_by_role("button").all():  # what would do nothing is not shown
            expect(button).to_have_text("Show")
    page.goto(addresses[1])
    expect(page.locator("#words")).to_contain_text(TEXT)
    context.close()
