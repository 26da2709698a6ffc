from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer
from tests.service.browser.test_checks import tab_to


def test_by_keyboard_alone_health_is_read_as_tables(page: Page, server: LiveServer) -> None:
    server.send(text="Refund the delivery fee, not the cake.")
    page.goto("/")
    tab_to(page, "nav a[href='/health']")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Health")).to_be_visible()
    tab_to(page, "summary")
    page.keyboard.press("Enter")
    hours = page.locator("figure").filter(has=page.get_by_role("heading", name="Mails an hour, UTC"))
    expect(hours.get_by_role("rowheader")).to_have_count(24)
    expect(hours.get_by_role("row").last).to_contain_text("1")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    labels = page.locator("figure").filter(has=page.get_by_role("heading", name="Labels of the last day"))
    expect(labels.get_by_role("rowheader", name="refund fee")).to_be_visible()
    page.keyboard.press("Enter")
    expect(labels.get_by_role("rowheader", name="refund fee")).to_be_hidden()
    assert violations(page) == []
