from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from service.console import site
from service.console.assets import assets

TEMPLATES = sorted((Path(site.__file__).parent / "templates").glob("*.html"))


def test_static_files_are_kept_for_ever_under_a_name_that_holds_their_hash(client: TestClient) -> None:
    for plain_name, asset in assets().items():
        answer = client.get(f"/static/{asset.name}")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert re.fullmatch(rf"{Path(plain_name).stem}\.[0-9a-f]{{10}}\{Path(plain_name).suffix}", asset.name)
        assert client.get(f"/static/{plain_name}").status_code == 404


@pytest.mark.parametrize("name", ["../site.py", "%2e%2e%2fsite.py", "console.0000000000.css"])
def test_nothing_else_is_served_as_static(client: TestClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_holds_an_inline_script_or_style(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text, re.IGNORECASE)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
    assert not re.search(r"\|\s*safe\b|autoescape false", text), "mail is only ever escaped text"


def test_pages_carry_the_strict_policy_and_are_not_stored(client: TestClient) -> None:
    headers = client.get("/").headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
