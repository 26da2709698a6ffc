from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

FEE = "Refund the delivery fee, not the cake."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 3840])
def test_the_inbox_meets_wcag_at_every_width_in_both_themes(
    page: Page, server: LiveServer, scheme: str, width: int
) -> None:
    for number in range(3):
        server.send(message_id=f"<{number}@x>", sender="mina@example.org", subject=f"Order {number}", text=FEE)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/")
    expect(page.get_by_role("listitem").filter(has_text="Order 2")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def test_the_theme_switch_lasts_beyond_the_page_and_is_there_for_the_keyboard(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/")
    switch = page.get_by_role("button", name="Dark")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.focus()
    page.keyboard.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_question_mark_opens_the_keys_and_escape_closes_them(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys on this page")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_inbox_is_readable_without_javascript(browser: Browser, server: LiveServer) -> None:
    server.send(message_id="<1@x>", sender="mina@example.org", subject="Order 5", text=FEE)
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_text("Order 5")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)  # what would do nothing is not shown
    context.close()
