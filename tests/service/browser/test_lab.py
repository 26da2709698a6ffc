from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

TEXT = "Refund the delivery fee, not the cake."


def tile(page: Page, word: str) -> Locator:
    return page.locator("#tiles button").filter(has_text=re.compile(f"^{re.escape(word)}$"))


def open_lab(page: Page) -> None:
    page.goto("/lab")
    expect(page.locator("#arranged .reading")).to_have_text(TEXT)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lab_meets_wcag_and_does_not_scroll_sideways_on_a_telephone(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 360, "height": 800})
    open_lab(page)
    page.get_by_role("switch", name="Positions").click()
    expect(page.locator("#why")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_by_mouse_words_are_dragged_and_positions_off_make_every_order_the_same(page: Page) -> None:
    open_lab(page)
    expect(page.locator("#gap")).to_have_text("0.0")
    tile(page, "cake").drag_to(tile(page, "delivery"))
    expect(page.locator("#arranged .reading")).to_have_text("Refund the cake delivery fee, not the.")
    expect(page.locator("#as-written .reading")).to_have_text(TEXT)
    expect(page.locator("#gap")).not_to_have_text("0.0")
    tile(page, "cake").press("Enter")  # the drag takes no key's place
    expect(page.locator("#from-word")).to_contain_text("cake")
    page.get_by_role("switch", name="Positions").click()
    expect(page.locator("#gap")).to_have_text("0.0")
    digits = page.locator("#digits").text_content()
    assert re.search(r"0\.\d{8,}", digits or ""), digits
    for _ in range(3):
        before = page.locator("#arranged .reading").text_content() or ""
        page.get_by_role("button", name="Shuffle").click()
        expect(page.locator("#arranged .reading")).not_to_have_text(before)
        expect(page.locator("#digits")).to_have_text(digits or "")
    page.get_by_role("button", name="As written").click()
    expect(page.locator("#arranged .reading")).to_have_text(TEXT)


def test_by_keyboard_alone_a_word_is_moved_looked_from_and_positions_are_switched(page: Page) -> None:
    open_lab(page)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#tiles') !== null"):
            break
    expect(tile(page, "Refund")).to_be_focused()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#arranged .reading")).to_have_text("the Refund delivery fee, not the cake.")
    expect(page.locator("#notice")).to_have_text("Refund: 2 of 9")
    expect(tile(page, "Refund")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#from-word")).to_have_text("from “Refund”")
    page.keyboard.press("p")
    expect(page.get_by_role("switch", name="Positions")).to_have_attribute("aria-checked", "false")
    expect(page.locator("#gap")).to_have_text("0.0")
    page.keyboard.press("w")
    expect(page.locator("#arranged .reading")).to_have_text(TEXT)


def test_a_head_is_chosen_in_the_grid_switched_off_and_all_are_switched_on_again(page: Page) -> None:
    open_lab(page)
    share = page.locator("#arranged dd").first
    before = share.text_content() or ""
    page.get_by_role("button", name=re.compile("^Layer 1, head 2:")).click()
    expect(page.locator("#head-words")).to_contain_text("Layer 1, head 2 looks most at")
    page.get_by_role("button", name="Switch this head off").click()
    expect(page.get_by_role("button", name=re.compile("^Layer 1, head 2, switched off"))).to_be_visible()
    expect(share).not_to_have_text(before)
    page.get_by_role("button", name="All heads on").click()
    expect(share).to_have_text(before)


def test_nothing_can_be_moved_before_the_first_answer_and_old_readings_are_marked_busy(page: Page) -> None:
    waiting: list[Route] = []
    page.route("**/v1/explain", lambda route: waiting.append(route))

    def let_on() -> None:
        while not waiting:
            page.wait_for_timeout(20)
        waiting.pop().continue_()

    page.goto("/lab")
    movers = [page.locator(f"#{name}") for name in ("earlier", "later", "exchange", "shuffle", "written", "positions")]
    for mover in movers:
        expect(mover).to_be_disabled()
    for key in "psw":
        page.keyboard.press(key)
    expect(page.locator("#readings")).to_have_attribute("aria-busy", "true")
    let_on()
    expect(page.locator("#arranged .reading")).to_have_text(TEXT)
    expect(page.locator("#readings")).to_have_attribute("aria-busy", "false")
    page.get_by_role("button", name="Shuffle").click()
    expect(page.locator("#readings")).to_have_attribute("aria-busy", "true")
    let_on()
    expect(page.locator("#readings")).to_have_attribute("aria-busy", "false")
    page.locator("#text").fill("refund cake")
    page.get_by_role("button", name="Read").click()
    tile(page, "cake").click()  # of the text before, which nothing moves any more
    tile(page, "cake").press("Shift+ArrowLeft")
    let_on()
    expect(page.locator("#arranged .reading")).to_have_text("refund cake")
    page.locator("#text").fill(" ")
    page.get_by_role("button", name="Read").click()
    expect(page.get_by_role("alert")).to_have_text("Type a mail first.")
    for mover in movers:
        expect(mover).to_be_disabled()
    expect(page.locator("#tiles button")).to_have_count(0)
    assert waiting == []


def test_a_mail_is_opened_in_the_lab_and_a_text_too_long_says_so(page: Page, server: LiveServer) -> None:
    mail = server.send(message_id="<1@x>", subject="Order 5", text="Please refund the cake")
    page.goto(f"/lab?mail={mail['id']}")
    expect(page.locator("#arranged .reading")).to_have_text("Please refund the cake")
    page.locator("#text").fill("zebra " * 40)
    page.get_by_role("button", name="Read").click()
    expect(page.get_by_role("alert")).to_contain_text("tokens are more than the 30 of one window")
