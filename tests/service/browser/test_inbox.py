from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

FEE = "Refund the delivery fee, not the cake."


def send(server: LiveServer, number: int) -> dict[str, Any]:
    return server.send(message_id=f"<{number}@x>", **{"from": "mina@example.org"}, subject=f"Order {number}", text=FEE)


def row(page: Page, number: int) -> Locator:
    return page.locator("#mails > li").filter(has_text=f"Order {number}")


def test_the_inbox_meets_wcag_at_every_width_in_both_themes(page: Page, server: LiveServer) -> None:
    for number in range(3):
        send(server, number)
    page.goto("/")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in (360, 3840):
            page.set_viewport_size({"width": width, "height": 800})
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


def test_by_keyboard_alone_mails_are_walked_searched_and_opened(page: Page, server: LiveServer) -> None:
    for number in range(3):
        send(server, number)
    page.goto("/")
    page.keyboard.press("j")
    expect(row(page, 2).locator("a.words")).to_be_focused()
    page.keyboard.press("j")
    expect(row(page, 1).locator("a.words")).to_be_focused()
    page.keyboard.press("k")
    expect(row(page, 2).locator("a.words")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("Order 0")
    page.keyboard.press("Enter")
    expect(page.locator("#mails > li")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Order 0")).to_be_visible()


def test_by_mouse_mails_are_filtered_and_the_address_says_so(page: Page, server: LiveServer) -> None:
    mail = send(server, 0)
    page.goto("/")
    page.get_by_label("Label").select_option(mail["label"])
    expect(page.locator("#mails > li")).to_have_count(1)
    assert f"label={mail['label']}" in page.url
    row(page, 0).locator("a.words").click()
    expect(page.get_by_role("heading", name="Order 0")).to_be_visible()


def test_new_mail_comes_by_itself_and_so_it_does_after_the_server_was_away(page: Page, server: LiveServer) -> None:
    send(server, 0)
    page.goto("/")
    expect(page.locator("#live")).to_have_text("live")
    send(server, 1)
    expect(page.locator("#mails > li").first).to_contain_text("Order 1")
    server.stop()
    expect(page.locator("#live")).to_contain_text("not live")
    server.start()
    send(server, 2)
    expect(page.locator("#mails > li").first).to_contain_text("Order 2")


def test_the_inbox_is_readable_without_javascript(browser: Browser, server: LiveServer) -> None:
    send(server, 5)
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_text("Order 5")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(1)  # what would do nothing is not shown; "Show" is a form's
    context.close()
