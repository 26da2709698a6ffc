from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from model.config import LABELS
from tests.service.browser.conftest import violations
from tests.service.browser.live import LiveServer

FEE = "Refund the delivery fee, not the cake."


def send(server: LiveServer, number: int) -> dict[str, Any]:
    return server.send(message_id=f"<{number}@x>", **{"from": "mina@example.org"}, subject=f"Order {number}", text=FEE)


def row(page: Page, number: int) -> Locator:
    return page.locator("#mails > li").filter(has_text=f"Order {number}")


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


def test_by_keyboard_alone_mails_are_accepted_corrected_undone_searched_and_opened(
    page: Page, server: LiveServer
) -> None:
    mails = [send(server, number) for number in range(3)]
    page.goto("/")
    page.keyboard.press("j")
    expect(row(page, 2).locator("a.words")).to_be_focused()
    page.keyboard.press("a")
    expect(row(page, 2)).to_contain_text("accepted by local")
    expect(row(page, 2).locator("a.words")).to_be_focused()
    page.keyboard.press("u")
    expect(row(page, 2)).not_to_contain_text("accepted")
    page.keyboard.press("j")
    page.keyboard.press("0")  # the tenth label
    expected = "accepted by local" if mails[1]["label"] == "other" else "corrected by local"
    expect(row(page, 1)).to_contain_text(expected)
    expect(row(page, 1).locator(".chip")).to_have_text("other")
    page.keyboard.press("k")
    expect(row(page, 2).locator("a.words")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("Order 0")
    page.keyboard.press("Enter")
    expect(page.locator("#mails > li")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Order 0")).to_be_visible()


def test_undo_brings_back_the_verdict_that_stood_before_with_its_words(page: Page, server: LiveServer) -> None:
    mail = send(server, 0)
    wrong = "other" if mail["label"] != "other" else "refund_fee"
    feedback = f"/v1/emails/{mail['id']}/feedback"
    spans = [{"role": "keep", "start": 0, "end": 5}]
    server.ask("POST", feedback, verdict="corrected", label=wrong, spans=spans, reason="said by telephone")
    page.goto("/")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(row(page, 0)).to_contain_text("accepted by local")
    page.keyboard.press("a")  # stands already: nothing more to undo
    expect(page.locator("#notice")).to_have_text("Mail accepted.")
    other = LABELS.index(next(label for label in LABELS if label not in (wrong, mail["label"])))
    page.keyboard.press(str((other + 1) % 10))
    expect(row(page, 0).locator(".chip")).to_have_text(LABELS[other].replace("_", " "))
    page.keyboard.press("u")
    expect(row(page, 0)).to_contain_text("accepted by local")
    page.keyboard.press("u")
    expect(row(page, 0)).to_contain_text("corrected by local")
    after = server.ask("GET", f"/v1/emails/{mail['id']}")
    assert (after["standing_label"], after["standing_spans"]) == (wrong, spans)
    assert [(entry["verdict"], entry["label"]) for entry in after["feedback"]] == [
        ("corrected", wrong),
        ("accepted", mail["label"]),
        ("corrected", LABELS[other]),
        ("accepted", mail["label"]),
        ("corrected", wrong),
    ]
    assert after["feedback"][-1]["reason"] == "said by telephone"
    assert after["label"] == mail["label"], "the prediction stays as it was"
    page.keyboard.press("u")
    expect(page.locator("#notice")).to_have_text("There is nothing to undo.")


def test_undo_leaves_alone_what_somebody_has_judged_since(page: Page, server: LiveServer) -> None:
    mail = send(server, 0)
    page.goto("/")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(row(page, 0)).to_contain_text("accepted by local")
    wrong = "other" if mail["label"] != "other" else "refund_fee"
    server.ask("POST", f"/v1/emails/{mail['id']}/feedback", verdict="corrected", label=wrong)
    page.keyboard.press("u")
    expect(page.locator("#notice")).to_contain_text("1 refused: local has judged it since.")
    assert server.ask("GET", f"/v1/emails/{mail['id']}")["standing_label"] == wrong


def test_by_mouse_mails_are_filtered_and_the_address_says_so(page: Page, server: LiveServer) -> None:
    mail = send(server, 0)
    page.goto("/")
    page.get_by_label("Label").select_option(mail["label"])
    expect(page.locator("#mails > li")).to_have_count(1)
    assert f"label={mail['label']}" in page.url
    row(page, 0).locator("a.words").click()
    expect(page.get_by_role("heading", name="Order 0")).to_be_visible()


def test_by_mouse_many_mails_are_chosen_and_accepted_at_once(page: Page, server: LiveServer) -> None:
    for number in range(3):
        send(server, number)
    page.goto("/")
    for number in (0, 2):
        row(page, number).get_by_role("checkbox").check()
    expect(page.locator("#many-count")).to_have_text("2 chosen")
    page.locator("#many").get_by_role("button", name="Accept").click()
    expect(page.locator("#notice")).to_have_text("2 mails accepted.")
    expect(page.locator("#mails .done")).to_have_count(2)
    expect(page.locator("#many")).to_be_hidden()
    page.get_by_label("State").select_option("accepted")
    expect(page.locator("#mails > li")).to_have_count(2)
    assert "state=accepted" in page.url


def test_new_mail_comes_by_itself_and_so_it_does_after_the_server_was_away(page: Page, server: LiveServer) -> None:
    send(server, 0)
    page.goto("/")
    expect(page.locator("#live")).to_have_text("live")
    send(server, 1)
    expect(page.locator("#mails > li").first).to_contain_text("Order 1")
    server.stop()
    expect(page.locator("#live")).to_contain_text("not live")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.locator("#notice")).to_contain_text("The service does not answer.")
    server.start()
    send(server, 2)
    expect(page.locator("#mails > li").first).to_contain_text("Order 2")
    page.keyboard.press("a")
    expect(row(page, 1)).to_contain_text("accepted by local")


def test_the_inbox_is_readable_without_javascript(browser: Browser, server: LiveServer) -> None:
    send(server, 5)
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_role("link", name="Order 5")).to_be_visible()
    expect(page.locator("noscript p")).to_contain_text("Without JavaScript this page can be read")
    expect(page.get_by_role("button")).to_have_count(1)  # what would do nothing is not shown; "Show" is a form's
    context.close()


def test_back_from_a_mail_the_inbox_is_where_it_was(page: Page, server: LiveServer) -> None:
    for number in range(10, 40):
        send(server, number)
    page.set_viewport_size({"width": 800, "height": 400})
    page.goto("/")
    row(page, 15).locator("a.words").click()
    expect(page.locator("#words")).to_be_visible()
    page.go_back()
    expect(row(page, 15).locator("a.words")).to_be_focused()
    expect(row(page, 15)).to_be_in_viewport()
    page.goto("/")
    expect(row(page, 39)).to_be_in_viewport()


def test_a_view_is_kept_opened_and_forgotten(page: Page, server: LiveServer) -> None:
    send(server, 0)
    page.goto("/?q=cake&decision=review")
    page.get_by_label("Name of a view with these filters").fill("cakes <b>")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#notice")).to_have_text("Kept as cakes <b>.")
    page.goto("/")
    page.get_by_role("link", name="cakes <b>").click()
    expect(page.get_by_label("Search words")).to_have_value("cake")
    expect(page.locator("#mails > li")).to_have_count(1)
    page.get_by_role("button", name="Forget the view cakes <b>").click()
    expect(page.locator("#notice")).to_have_text("Forgotten.")
    expect(page.get_by_role("link", name="cakes <b>")).to_have_count(0)
