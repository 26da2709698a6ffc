"""Agents who sign in with keys of their own: two at once on the queue, and a session that ends under the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from model.classifier import Classifier
from service.access import Role
from service.settings import Settings
from tests.service.browser.conftest import PATIENCE_MS, watched
from tests.service.browser.live import LiveServer
from tests.service.secured import execute, new_key

IN_QUEUE = re.compile(r"/mails/[0-9a-f-]{36}\?queue=yes")


@pytest.fixture
def server(live_settings: Settings, tiny_classifier: Classifier) -> Iterator[LiveServer]:
    """One that asks for keys; mail comes in with one that may do nothing else."""
    sender = new_key(live_settings.database_url, Role.INGEST)
    server = LiveServer(live_settings.model_copy(update={"require_keys": True}), tiny_classifier, sender)
    yield server
    server.stop()


@pytest.fixture
def agent(browser: Browser, server: LiveServer, live_settings: Settings) -> Iterator[Callable[[str], Page]]:
    """A page of an agent who has signed in, each in a browser profile of their own."""
    contexts: list[BrowserContext] = []
    faults: list[list[str]] = []

    def enter(name: str) -> Page:
        context = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 800})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        faults.append(watched(context, server.url))
        page.goto("/")
        page.get_by_label("Key").fill(new_key(live_settings.database_url, Role.AGENT, name))
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
        return page

    yield enter
    for context in contexts:
        context.close()
    assert [fault for found in faults for fault in found] == []


def send_three(server: LiveServer) -> None:
    sent = [server.send(text="qx zzv unreadable " * 3, message_id=f"<{n}@x>") for n in range(3)]
    assert {mail["decision"] for mail in sent} == {"review"}, "the tiny model is in doubt about everything"


def test_two_agents_take_from_the_queue_and_never_the_same_mail(
    server: LiveServer, agent: Callable[[str], Page]
) -> None:
    send_three(server)
    ada, bo = agent("ada"), agent("bo")
    for page in (ada, bo):
        page.goto("/review")
        expect(page.locator("#count")).to_have_text("3")
    ada.get_by_role("button", name="Take the next mail").click()
    bo.keyboard.press("g")
    for page in (ada, bo):
        page.wait_for_url(IN_QUEUE)
        expect(page.locator("#queue")).to_contain_text("This one is yours.")
    firsts = {ada.url, bo.url}
    assert len(firsts) == 2
    ada.keyboard.press("a")
    ada.wait_for_url(lambda url: url not in firsts)
    expect(ada.locator("#queue")).to_contain_text("2 waiting for review. This one is yours.")
    bo.get_by_role("button", name="Accept").click()
    bo.wait_for_url("**/review")
    expect(bo.locator("#notice")).to_have_text("Nothing is left to take.")
    expect(bo.locator("#count")).to_have_text("1")


def test_going_on_to_the_next_mail_puts_back_the_one_in_hand(server: LiveServer, agent: Callable[[str], Page]) -> None:
    send_three(server)
    ada = agent("ada")
    ada.goto("/review")
    seen = {ada.url}
    for _ in range(3):
        ada.keyboard.press("g")
        ada.wait_for_url(lambda url: url not in seen)
        expect(ada.locator("#queue")).to_contain_text("3 waiting for review. This one is yours.")
        seen.add(ada.url)
    ada.get_by_role("link", name="the queue").click()
    expect(ada.get_by_text("2 of them with nobody")).to_be_visible()
    expect(ada.get_by_text("yours", exact=True)).to_have_count(1)
    ada.keyboard.press("g")
    ada.wait_for_url(IN_QUEUE)
    bo = agent("bo")
    bo.goto("/review")
    expect(bo.get_by_text("with ada")).to_have_count(1)


def test_a_mail_that_another_agent_has_takes_no_verdict_until_it_is_put_back(
    server: LiveServer, agent: Callable[[str], Page]
) -> None:
    send_three(server)
    ada, bo = agent("ada"), agent("bo")
    ada.goto("/review")
    ada.keyboard.press("g")
    ada.wait_for_url(IN_QUEUE)
    bo.goto(ada.url)
    expect(bo.locator("#queue")).to_contain_text("ada has this one.")
    bo.keyboard.press("a")
    expect(bo.locator("#notice")).to_contain_text("ada has this mail until")
    expect(bo.locator("#notice")).to_contain_text("Take it over first")
    expect(bo.locator("#theirs time")).to_have_text(re.compile(r"^\d\d:\d\d( [AP]M)?$"))
    for name in ("Accept", "Correct", "Save the words"):
        expect(bo.get_by_role("button", name=name)).to_have_count(0)
    ada.get_by_role("button", name="Put it back").click()
    expect(ada.locator("#queue")).to_contain_text("Nobody has this one.")
    bo.reload()
    bo.get_by_role("button", name="Take it").click()
    expect(bo.locator("#queue")).to_contain_text("This one is yours.")
    address = bo.url
    bo.keyboard.press("a")
    bo.wait_for_url(lambda url: url != address)
    ada.reload()
    expect(ada.locator("#verdict")).to_contain_text("accepted by bo")
    expect(ada.locator("#queue")).to_contain_text("This one is done.")


def test_a_mail_that_another_agent_has_can_be_taken_over(server: LiveServer, agent: Callable[[str], Page]) -> None:
    send_three(server)
    ada, bo = agent("ada"), agent("bo")
    ada.goto("/review")
    ada.keyboard.press("g")
    ada.wait_for_url(IN_QUEUE)
    bo.goto(ada.url.partition("?")[0])
    bo.get_by_role("button", name="Take it over").click()
    expect(bo.get_by_role("button", name="Accept")).to_be_focused()
    bo.keyboard.press("Enter")
    expect(bo.locator("#verdict")).to_contain_text("accepted by bo")


def test_a_session_that_ends_under_the_page_says_so_keeps_the_page_and_signing_in_leads_back(
    server: LiveServer,
    agent: Callable[[str], Page],
    live_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.callers.CACHE_SECONDS", 0.0)  # else five seconds pass before it is noticed
    send_three(server)
    ada = agent("ada")
    ada.goto("/?decision=review")
    execute(live_settings.database_url, "update console_sessions set expires_at = :past", past="2026-01-01 00:00:00")
    ada.keyboard.press("j")
    ada.keyboard.press("a")
    expect(ada.locator("#notice")).to_contain_text("You are signed out.")
    expect(ada.locator("#mails > li")).to_have_count(3)
    ada.reload()
    expect(ada.get_by_role("heading", name="Sign in")).to_be_visible()
    ada.get_by_label("Key").fill(new_key(live_settings.database_url, Role.AGENT, "ada-again"))
    ada.get_by_role("button", name="Sign in").click()
    expect(ada.get_by_role("heading", name="Inbox")).to_be_visible()
    assert ada.url == f"{server.url}/?decision=review"
    ada.keyboard.press("j")
    ada.keyboard.press("a")
    expect(ada.locator("#mails > li").first).to_contain_text("accepted by ada-again")
