from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.service.browser.live import LiveServer

pytestmark = pytest.mark.usefixtures("suite")


def test_by_mouse_suites_are_run(page: Page) -> None:
    page.goto("/checks")
    expect(page.get_by_text("No suite has run yet.")).to_be_visible()
    page.get_by_role("button", name="Run every suite now").click()
    expect(page.locator("#notice")).to_contain_text("Running")
    expect(page.get_by_role("rowheader", name="easy")).to_be_visible()


def test_by_keyboard_alone_a_run_is_opened_and_its_failed_case_is_read_as_yaml(page: Page, server: LiveServer) -> None:
    server.run_suites()
    page.goto("/checks")
    tab_to(page, "a[href^='/checks/']")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="easy", exact=True)).to_be_visible()
    expect(page.locator("article")).to_have_count(4)
    tab_to(page, "a[href='?show=failed']")
    page.keyboard.press("Enter")
    expect(page.locator("article")).to_have_count(1)
    expect(page.locator("article")).to_contain_text("expected")
    tab_to(page, "summary")
    page.keyboard.press("Enter")
    expect(page.locator("pre.code")).to_contain_text("text: refund the cake")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until what the selector names has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"the keyboard does not come to {selector}")
