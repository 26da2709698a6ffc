from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Dialog, Page, expect

from model.config import LABELS
from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

TEXT = "Refund the fee, not cake."
RIGHT_TO_LEFT = "أعيدوا رسوم التوصيل، وليس الكعكة"


def send(server: LiveServer, text: str = TEXT, **fields: Any) -> dict[str, Any]:
    return server.send(**{"from": "mina@example.org"}, subject="Order 5", text=text, **fields)


def other_label(mail: dict[str, Any]) -> str:
    return next(label for label in LABELS if label != mail["label"])


def test_by_mouse_words_are_marked_saved_and_withdrawn(page: Page, server: LiveServer) -> None:
    mail = send(server)
    page.goto(f"/mails/{mail['id']}")
    words = page.locator("#words")
    words.select_text()
    page.get_by_role("button", name="no role").click()
    expect(words.locator("mark")).to_have_count(0)
    place = words.evaluate(
        """(words) => { const range = document.createRange(), at = words.textContent.indexOf("cake");
        range.setStart(words.firstChild, at); range.setEnd(words.firstChild, at + 4);
        const box = range.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }"""
    )
    page.mouse.dblclick(*place)
    page.get_by_role("button", name="not to refund").click()
    expect(words.locator("mark.keep")).to_have_text("cake")
    page.get_by_role("button", name="Save the words").click()
    expect(page.locator("#verdict")).to_contain_text("corrected by local")
    expect(page.locator("#words mark.keep")).to_have_text("cake")
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    page.get_by_role("button", name="Add as a case").click()
    expect(page.locator("#notice")).to_contain_text("Added to the shop's own suite")
    case = server.ask("GET", "/v1/checks/cases")["data"][0]
    assert (case["email_id"], case["actor"]) == (mail["id"], "local")
    expect(page.get_by_role("link", name="In our own suite")).to_have_attribute("href", f"/checks/cases/{case['id']}")
    assert violations(page) == []
    page.get_by_role("button", name="Withdraw the verdict").click()
    expect(page.get_by_role("button", name="Accept")).to_be_visible()


def test_by_keyboard_alone_words_are_marked_and_the_label_is_corrected(page: Page, server: LiveServer) -> None:
    mail = send(server, "Refund fee")
    page.goto(f"/mails/{mail['id']}")
    page.keyboard.press("m")
    expect(page.locator("#words")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("c")
    expect(page.locator("#words mark")).to_have_count(0)
    page.locator("#words").blur()
    page.evaluate("getSelection().removeAllRanges()")
    page.keyboard.press("m")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("r")
    expect(page.locator("#words mark.refund").first).to_contain_text("Refund")
    page.keyboard.press(str((LABELS.index(other_label(mail)) + 1) % 10))
    expect(page.locator("#verdict")).to_contain_text("corrected by local")
    expect(page.locator("#verdict .chip")).to_have_text(other_label(mail).replace("_", " "))
    expect(page.locator("#words mark.refund").first).to_contain_text("Refund")


def test_a_label_corrected_by_key_claims_nothing_of_the_models_words(page: Page, server: LiveServer) -> None:
    mail = send(server)
    page.goto(f"/mails/{mail['id']}")
    page.keyboard.press(str((LABELS.index(other_label(mail)) + 1) % 10))
    expect(page.locator("#notice")).to_contain_text("The words were not judged")
    expect(page.locator("#doubt")).to_contain_text("nobody judged them")
    assert violations(page) == []
    assert server.ask("GET", f"/v1/emails/{mail['id']}")["feedback"][-1]["spans_judged"] is False
    page.goto("/")
    expect(page.locator("#mails mark")).to_have_count(0)
    page.goto(f"/mails/{mail['id']}")
    before = page.locator("#words mark").first.get_attribute("class")
    page.get_by_role("button", name="Exchange them").click()
    expect(page.locator("#words mark").first).not_to_have_class(before or "")
    page.get_by_role("button", name="Save the words").click()
    expect(page.locator("#doubt")).to_have_count(0)
    verdict = server.ask("GET", f"/v1/emails/{mail['id']}")["feedback"][-1]
    assert (verdict["label"], verdict["spans_judged"]) == (other_label(mail), True)


def test_accepting_takes_the_words_that_were_marked_and_leaving_them_asks(page: Page, server: LiveServer) -> None:
    mail = send(server, "Refund fee")
    page.goto(f"/mails/{mail['id']}")
    page.locator("#words").select_text()
    page.keyboard.press("n")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.get_by_role("link", name="inbox", exact=True).click()
    page.wait_for_timeout(300)
    page.keyboard.press("a")
    expect(page.locator("#verdict")).to_contain_text("corrected by local")
    assert asked == ["beforeunload"], "asked once: what is saved is left without a question"
    start = mail["text"].index("Refund fee")
    words = {"role": "keep", "start": start, "end": start + len("Refund fee")}
    assert words in server.ask("GET", f"/v1/emails/{mail['id']}")["standing_spans"]


def test_an_erased_mail_has_no_buttons_for_words(page: Page, server: LiveServer) -> None:
    mail = send(server)
    page.goto(f"/mails/{mail['id']}")
    page.evaluate("id => fetch(`/v1/emails/${id}`, { method: 'DELETE' })", mail["id"])
    page.reload()
    expect(page.get_by_text("only numbers are kept")).to_be_visible()
    for part in ("#marking", "#ask-why"):
        expect(page.locator(part)).to_have_count(0)
    page.keyboard.press("a")
    expect(page.locator("#verdict")).to_contain_text("accepted by local")


def test_why_is_read_on_request_and_opens_in_place(page: Page, server: LiveServer) -> None:
    mail = send(server)
    page.goto(f"/mails/{mail['id']}")
    page.keyboard.press("w")
    expect(page.locator("#why")).to_contain_text(re.compile("Occlusion|No single word"))
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 800})
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_mail_of_two_megabytes_opens_is_asked_why_and_takes_a_verdict(page: Page, server: LiveServer) -> None:
    mail = send(server, "refund the cake & fee 🍰 " * 85_000)
    page.goto(f"/mails/{mail['id']}")
    expect(page.get_by_text("more characters")).to_be_visible()
    page.keyboard.press("w")
    expect(page.locator("#why")).to_contain_text(re.compile("Occlusion|No single word"))
    page.keyboard.press("a")
    expect(page.locator("#verdict")).to_contain_text("accepted by local")


def test_a_mail_from_right_to_left_reads_from_right_to_left_within_a_page_that_does_not(
    page: Page, server: LiveServer
) -> None:
    mail = server.send(subject="طلب 5", text=RIGHT_TO_LEFT)
    page.goto("/")
    assert page.locator("a.words").evaluate("element => getComputedStyle(element).direction") == "rtl"
    page.goto(f"/mails/{mail['id']}")
    assert page.locator("#words").evaluate("element => getComputedStyle(element).direction") == "rtl"
    assert page.locator("main").evaluate("element => getComputedStyle(element).direction") == "ltr"
