from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

TEXT = "Refund the fee, not cake."
RIGHT_TO_LEFT = "أعيدوا رسوم التوصيل، وليس الكعكة"


def send(server: LiveServer, text: str = TEXT, **fields: Any) -> dict[str, Any]:
    return server.send(**{"from": "mina@example.org"}, subject="Order 5", text=text, **fields)


def test_why_is_read_on_request_and_opens_in_place(page: Page, server: LiveServer) -> None:
    mail = send(server)
    page.goto(f"/mails/{mail['id']}")
    page.keyboard.press("w")
    expect(page.locator("#why")).to_contain_text(re.compile("Occlusion|No single word"))
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 800})
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_mail_of_two_megabytes_opens_and_is_asked_why(page: Page, server: LiveServer) -> None:
    mail = send(server, "refund the cake & fee 🍰 " * 85_000)
    page.goto(f"/mails/{mail['id']}")
    expect(page.get_by_text("more characters")).to_be_visible()
    page.keyboard.press("w")
    expect(page.locator("#why")).to_contain_text(re.compile("Occlusion|No single word"))


def test_a_mail_from_right_to_left_reads_from_right_to_left_within_a_page_that_does_not(
    page: Page, server: LiveServer
) -> None:
    mail = server.send(subject="طلب 5", text=RIGHT_TO_LEFT)
    page.goto("/")
    assert page.locator("a.words").evaluate("element => getComputedStyle(element).direction") == "rtl"
    page.goto(f"/mails/{mail['id']}")
    assert page.locator("#words").evaluate("element => getComputedStyle(element).direction") == "rtl"
    assert page.locator("main").evaluate("element => getComputedStyle(element).direction") == "ltr"
