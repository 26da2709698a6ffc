from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from service.access import Role
from service.app import create_app
from service.settings import Settings
from tests.service.secured import new_key


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
    others = sum(model["version"] not in (None, serving) for model in models)
    assert page.count('class="promote needs-script"') == others
    assert "No model was promoted yet." in page


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
