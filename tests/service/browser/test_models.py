"""The models' page: promoting, by force too, and rolling back, by mouse and by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from model.classifier import Classifier
from service.settings import Settings
from tests.service.browser.conftest import violations
from tests.service.browser.test_checks import tab_to
from tests.service.checks.runs import held_suites
from tests.service.easy_suite import write_suite
from tests.service.test_models import make_model


@pytest.fixture
def live_settings(live_settings: Settings, tmp_path: Path) -> Settings:
    return live_settings.model_copy(update={"models_folder": tmp_path / "models", "model_poll_seconds": 0.05})


@pytest.fixture
def other(live_settings: Settings, tmp_path: Path) -> str:
    """Another model in the models folder; its version."""
    return make_model(live_settings.model_folder, tmp_path / "models" / "other", "other", 2.0)


@pytest.fixture
def suite(tmp_path: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only suite, which both models pass."""
    path = write_suite(tmp_path / "easy.yaml", tiny_classifier)
    monkeypatch.setattr(Settings, "suite_files", lambda _: [path])
    return path


pytestmark = pytest.mark.usefixtures("suite")


def serves(page: Page, version: str) -> None:
    section = page.locator("section").filter(has=page.get_by_role("heading", name=version))
    expect(section.get_by_text("serves", exact=True)).to_be_visible()
    expect(page.locator("#serving")).to_have_text(f"model {version}")


def test_by_mouse_a_model_is_promoted_and_rolled_back(page: Page, other: str, tiny_classifier: Classifier) -> None:
    page.goto("/models")
    serves(page, tiny_classifier.version)
    page.get_by_role("button", name=f"Promote {other}").click()
    expect(page.get_by_role("dialog", name=f"Let {other} serve?")).to_be_visible()
    page.get_by_role("button", name="No").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name=f"Promote {other}").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#notice")).to_have_text(f"{other} serves.")
    serves(page, other)
    expect(page.locator(".history")).to_contain_text("Promoted: 1 suite passed, and nothing fell")
    page.get_by_text("The suites' verdict").click()
    expect(page.get_by_role("row").filter(has_text="3 of 3").last).to_contain_text("passed")
    page.get_by_role("button", name="Roll back").click()
    page.get_by_label("Reason").fill("reads fees as items")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#notice")).to_have_text("Rolled back.")
    serves(page, tiny_classifier.version)
    expect(page.locator(".history > li").first).to_contain_text("Reason: reads fees as items")


def test_by_keyboard_alone_a_model_is_promoted_and_rolled_back(
    page: Page, other: str, tiny_classifier: Classifier
) -> None:
    page.goto("/models")
    tab_to(page, f".promote[data-version='{other}']")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#sure-reason")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_have_text(f"{other} serves.")
    serves(page, other)
    tab_to(page, "#rollback")
    page.keyboard.press("Enter")
    page.keyboard.type("reads fees as items")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_have_text("Rolled back.")
    serves(page, tiny_classifier.version)


def test_a_refused_promotion_is_told_and_can_be_forced_with_a_reason(
    page: Page, other: str, suite: Path, tiny_classifier: Classifier
) -> None:
    write_suite(suite, tiny_classifier, wrong="critical")
    page.goto("/models")
    page.get_by_role("button", name=f"Promote {other}").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#notice")).to_contain_text(f"{other} fails easy. It does not serve")
    refused = page.locator(".history > li").first
    expect(refused).to_contain_text("Refused by 1 of 1 suite: easy, where a critical case failed")
    expect(refused.get_by_role("table")).to_contain_text("critical case hard failed")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in (360, 1280, 3840):
            page.set_viewport_size({"width": width, "height": 900})
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name=f"Promote by force {other}").click()
    assert violations(page) == []
    page.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("dialog")).to_be_visible()  # a reason is needed
    page.get_by_label("Reason").fill("   ")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#sure-fault")).to_have_text("Promoting by force needs a reason in words.")
    page.get_by_label("Reason").fill("worse elsewhere")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#notice")).to_have_text(f"{other} serves.")
    serves(page, other)
    expect(page.locator(".history > li").first).to_contain_text("Promoted by force, although easy")
    expect(page.locator(".history > li").first).to_contain_text("Reason: worse elsewhere")


def test_a_promotion_that_takes_long_is_followed_to_its_end(
    page: Page, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = held_suites(monkeypatch)
    monkeypatch.setattr("service.routers.models.PROMOTE_WAIT_SECONDS", 0.1)
    page.goto("/models")
    page.get_by_role("button", name=f"Promote {other}").click()
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#notice")).to_contain_text("is being checked")
    expect(page.locator(".history > li").first).to_contain_text("Being checked: 0 of 1 suite done.")
    assert violations(page) == []
    page.evaluate("window.same = true")
    gate.clear()
    serves(page, other)
    expect(page.locator("#notice")).to_contain_text(f"{other}: Promoted: 1 suite passed")
    assert page.evaluate("window.same"), "the page was not loaded again"
