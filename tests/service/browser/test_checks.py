from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from model.checks.schema import read_suite
from tests.service.browser.live import LiveServer
from tests.service.checks.runs import held_suites

pytestmark = pytest.mark.usefixtures("suite")


def test_by_mouse_suites_are_run_and_what_they_find_comes_by_itself(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = held_suites(monkeypatch)
    page.goto("/checks")
    expect(page.get_by_text("No suite has run yet.")).to_be_visible()
    page.evaluate("window.same = true")
    page.get_by_role("button", name="Run every suite now").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="easy"))
    expect(row).to_contain_text("running")
    expect(page.locator("#runs")).to_contain_text("1 run goes on")
    for _ in range(2):  # the second time it waits already
        page.get_by_role("button", name="Run every suite now").click()
        expect(page.get_by_role("row").filter(has_text="waiting")).to_have_count(1)
    expect(page.locator("#runs")).to_contain_text("2 runs go on")
    row = row.last
    row.get_by_role("link").focus()
    gate.clear()
    expect(row).to_contain_text("3 of 4")
    expect(row.get_by_role("link")).to_be_focused()
    expect(page.locator("#notice")).to_have_text("The suites have run.")
    expect(page.get_by_role("img", name="easy, share passed")).to_be_visible()
    assert page.evaluate("window.same"), "the page was not loaded again"


def test_a_run_that_is_opened_while_it_goes_shows_its_cases_when_they_are_there(
    page: Page, server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = held_suites(monkeypatch)
    run = server.ask("POST", "/v1/checks/runs")["data"][0]["id"]
    page.goto(f"/checks/{run}")
    expect(page.get_by_text("The run is still going.")).to_be_visible()
    gate.clear()
    expect(page.locator("article")).to_have_count(4)
    expect(page.locator("#notice")).to_have_text("The suite has run.")


def test_by_mouse_a_runs_case_is_added_to_our_own_worded_anew_retired_and_taken_in_again(
    page: Page, server: LiveServer
) -> None:
    run = server.run_suites()
    page.goto(f"/checks/{run}?show=failed")
    page.get_by_role("button", name="Add as a case of our own: hard").click()
    expect(page.locator("#notice")).to_contain_text("Added to the shop's own suite")
    (case,) = server.ask("GET", "/v1/checks/cases")["data"]
    page.reload()
    page.get_by_role("button", name="Add as a case of our own: hard").click()
    expect(page.locator("#notice")).to_have_text("the shop's suite holds this case already")
    page.get_by_role("link", name="In our own suite").click()
    page.get_by_label("The mail").fill("Refund the cake <b>now</b>.")
    page.get_by_label("Must be read as").select_option("refund_item")
    page.get_by_label("Severity").select_option("critical")
    page.get_by_role("button", name="Save the wording").click()
    expect(page.locator("#notice")).to_contain_text("Saved")
    (saved,) = server.ask("GET", "/v1/checks/cases")["data"]
    wanted = {"kind": "minimum", "text": "Refund the cake <b>now</b>.", "label": "refund_item", "severity": "critical"}
    assert (saved["revision"], saved["case"]) == (2, {"id": case["id"], **wanted})
    expect(page.get_by_role("listitem").filter(has_text="worded anew")).to_contain_text("now")
    page.get_by_role("link", name="our own cases").click()
    expect(page.locator(".cases > li")).to_contain_text("Refund the cake <b>now</b>.")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as YAML").click()
    assert download.value.suggested_filename == "shop.yaml"
    assert [told.id for told in read_suite(download.value.path()).cases] == [case["id"]]
    page.locator(".cases a").click()
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_text("retired: it runs no more")).to_be_visible()
    page.goto("/checks/cases")
    expect(page.get_by_text("No case yet.")).to_be_visible()
    page.get_by_role("link", name="Retired").click()
    page.locator(".cases a").click()
    page.get_by_role("button", name="Save, and take it in again").click()
    expect(page.get_by_text("in the suite", exact=True)).to_be_visible()


def test_by_keyboard_alone_a_runs_case_is_added_worded_anew_and_retired(page: Page, server: LiveServer) -> None:
    run = server.run_suites()
    page.goto(f"/checks/{run}?show=failed")
    tab_to(page, "button.adopt")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="In our own suite")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Word it anew")).to_be_visible()
    tab_to(page, "textarea")
    page.keyboard.press("Control+A")
    page.keyboard.type("Keep the cake.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".words-of").first).to_have_text("Keep the cake.")
    tab_to(page, "#retire")
    page.keyboard.press("Enter")
    expect(page.get_by_text("retired: it runs no more")).to_be_visible()
    assert [row["retired"] for row in server.ask("GET", "/v1/checks/cases")["data"]] == [True]


def test_by_keyboard_alone_a_run_is_opened_and_its_failed_case_is_read_as_yaml(page: Page, server: LiveServer) -> None:
    server.run_suites()
    page.goto("/checks")
    tab_to(page, "th a")
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
