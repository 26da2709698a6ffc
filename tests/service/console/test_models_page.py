from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from model.classifier import Classifier
from model.config import LABELS
from service.access import Role
from service.app import create_app
from service.settings import Settings
from tests.service.checks.runs import held_suites
from tests.service.easy_suite import write_suite
from tests.service.secured import new_key
from tests.service.test_models import make_model, until


def places(page: str) -> list[str]:
    """The addresses of the navigation."""
    return re.findall(r'<li><a href="([^"]+)"', page)


@pytest.fixture
def guarded(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings.model_copy(update={"require_keys": True}))) as client:
        yield client


def test_the_models_page_shows_which_one_serves_with_its_figures(client: TestClient) -> None:
    page = client.get("/models").text
    serving = client.get("/readyz").json()["model_version"]
    assert re.search(rf'<h2 id="model-\d+">{re.escape(serving)}</h2>\s*<span class="passed">serves</span>', page)
    models = client.get("/v1/models").json()["data"]
    assert all(model["version"] in page for model in models if model["version"])
    assert "goes into <code>var/models</code>" in page
    others = sum(model["version"] not in (None, serving) for model in models)
    assert page.count('class="promote needs-script"') == others
    assert "No model was promoted yet." in page


@pytest.fixture
def shop(settings: Settings, tmp_path: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """With another model beside the one that serves, and a suite that neither passes."""
    suite = write_suite(tmp_path / "easy.yaml", tiny_classifier, wrong="critical")
    monkeypatch.setattr(Settings, "suite_files", lambda _: [suite])
    settings = settings.model_copy(update={"models_folder": tmp_path / "models"})
    make_model(settings.model_folder, tmp_path / "models" / "other", "other", 2.0)
    return settings


def plain(page: str) -> str:
    """Its words alone."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.split("<main", 1)[1])).split())


def test_a_refused_promotion_is_told_with_gate_cases_and_what_broke_and_a_forced_one_with_its_reason(
    shop: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Classifier.predict

    def worse(self: Classifier, texts: list[str], **options: bool) -> Any:
        found = original(self, texts, **options)
        wrong = [replace(entry, label=LABELS[LABELS.index(entry.label) - 1]) for entry in found]
        return wrong if self.version.startswith("other") else found

    monkeypatch.setattr(Classifier, "predict", worse)
    with TestClient(create_app(shop)) as client:
        serving = client.get("/readyz").json()["model_version"]
        assert client.post("/v1/models/other/promote").status_code == 409
        page = client.get("/models").text
        words = plain(page)
        assert "Refused by 1 of 1 suite: easy, where a critical case failed and a group is under its floor." in words
        assert f"{serving} serves on." in words
        assert "critical case hard failed: read as" in words
        assert re.search(r"passed, under the floor of 100.0% 3: easy0, easy1, easy2 \d", words), "what broke"
        assert re.search(r'href="/checks/[0-9a-f-]{36}\?show=failed">easy</a>', page)
        assert 'class="force needs-script"' in page
        forced = client.post("/v1/models/other/promote", json={"force": True, "reason": "<b>worse elsewhere</b>"})
        assert forced.status_code == 200
        page = client.get("/models").text
        assert "Promoted by force, although easy, where a critical case failed" in plain(page)
        assert "&lt;b&gt;worse elsewhere" in page


def test_a_promotion_that_goes_on_is_on_the_page_until_its_end(shop: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.routers.models.PROMOTE_WAIT_SECONDS", 0.1)
    gate = held_suites(monkeypatch)
    with TestClient(create_app(shop)) as client:
        assert client.post("/v1/models/other/promote").status_code == 202
        until(lambda: "Being checked: 0 of 1 suite done." in plain(client.get("/models").text))
        page = client.get("/models").text
        assert "data-busy" in page
        assert page.count('class="promote needs-script"') == 1, "it is not asked for twice; the released model may be"
        gate.clear()
        until(lambda: "data-busy" not in client.get("/models").text)
        assert "Refused by 1 of 1 suite" in plain(client.get("/models").text)


def test_a_promotion_that_came_to_no_verdict_says_why(shop: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("model.checks.runner.judge", broken)
    with TestClient(create_app(shop), raise_server_exceptions=False) as client:
        assert client.post("/v1/models/other/promote").status_code == 500
        assert "Came to no verdict: ZeroDivisionError." in plain(client.get("/models").text)
        (noted,) = client.get("/v1/audit?action=model_promotion_failed").json()["data"]
        assert noted["details"] == {"why": "ZeroDivisionError"}


def test_who_may_not_promote_is_not_offered_it(guarded: TestClient, database_url: str) -> None:
    key = new_key(database_url, Role.AGENT, name="desk.one")
    guarded.post("/sign-in", data={"key": key})
    page = guarded.get("/models").text
    assert 'class="promote' not in page
    assert "Roll back" not in page


@pytest.mark.parametrize(("role", "seen"), [(Role.AGENT, "/"), (Role.OPS, "/models")])
def test_a_role_sees_the_pages_that_it_may_open_and_can_sign_out(
    guarded: TestClient, database_url: str, role: Role, seen: str
) -> None:
    key = new_key(database_url, role, name="desk.one")
    page = guarded.post("/sign-in", data={"key": key}).text
    assert seen in places(page)
    assert ("/" in places(page)) == (role is Role.AGENT)
    assert all(guarded.get(place).status_code == 200 for place in places(page))
    assert "<bdi>desk.one</bdi>" in page
    token = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert token is not None
    guarded.post("/sign-out", data={"csrf_token": token.group(1)})
    assert guarded.get("/", headers={"Accept": "text/html"}).url.path == "/sign-in"
