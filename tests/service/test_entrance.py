from __future__ import annotations

import re

import pytest
import typer
from fastapi.testclient import TestClient

from service.access import Role
from service.app import create_app
from service.cli.entrance import address_of, check_host, console_link, is_loopback
from service.queries import keys
from service.settings import Settings
from tests.service.secured import bearer, execute, new_key


@pytest.fixture
def guarded(settings: Settings) -> Settings:
    return settings.model_copy(update={"require_keys": True})


def test_the_first_start_prints_a_key_that_works_and_later_ones_a_fresh_link_only(
    guarded: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    first = console_link(guarded)
    found = re.search(r"admin key: (rr_\S{43}) ", capsys.readouterr().err)
    assert found is not None
    second = console_link(guarded)
    assert "rr_" not in capsys.readouterr().err
    assert first != second
    with TestClient(create_app(guarded), follow_redirects=False) as client:
        assert client.get("/v1/keys", headers=bearer(found.group(1))).status_code == 200
        for link in (first, second):
            assert client.post("/sign-in", data={"token": link.partition("token=")[2]}).status_code == 303
            assert [key["name"] for key in client.get("/v1/keys").json()["data"]] == ["admin"]


def test_two_first_starts_at_once_make_one_key(
    guarded: Settings, database_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    look = keys.first_live_key
    links: list[str] = []

    def look_while_the_other_starts(*given: object, **named: object) -> object:
        """After this look the other goes all its way, before anything is done about what was seen."""
        found = look(*given, **named)  # type: ignore[arg-type]
        if found is None:
            monkeypatch.setattr(keys, "first_live_key", look)
            links.append(console_link(guarded))
        return found

    monkeypatch.setattr(keys, "first_live_key", look_while_the_other_starts)
    links.append(console_link(guarded))
    assert len(links) == 2
    assert all(link.startswith("/sign-in?token=") for link in links)
    assert capsys.readouterr().err.count("admin key: rr_") == 1
    assert execute(database_url, "select name from api_keys") == [("admin",)]


def test_where_every_admin_key_was_revoked_a_start_makes_another(
    guarded: Settings, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console_link(guarded)
    execute(database_url, "update api_keys set revoked_at = created_at")
    capsys.readouterr()
    console_link(guarded)
    assert "admin key: rr_" in capsys.readouterr().err
    names = [row[0] for row in execute(database_url, "select name from api_keys order by id")]
    assert names == ["admin", "admin-2"]


def test_beyond_loopback_a_start_needs_a_key_and_makes_none(
    guarded: Settings, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    public = guarded.model_copy(update={"host": "0.0.0.0"})
    with pytest.raises(typer.Exit) as stop:
        console_link(public)
    assert stop.value.exit_code == 2
    assert "there is no key yet" in capsys.readouterr().err
    assert execute(database_url, "select * from api_keys") == []
    new_key(database_url, Role.ADMIN, "boss")
    assert console_link(public).startswith("/sign-in?token=")


def test_without_keys_there_is_no_link_and_only_loopback(settings: Settings, database_url: str) -> None:
    check_host(settings)
    assert console_link(settings) == "/"
    assert execute(database_url, "select * from api_keys") == []
    with pytest.raises(typer.Exit):
        check_host(settings.model_copy(update={"host": "192.0.2.1"}))


@pytest.mark.parametrize(
    ("host", "loopback", "address"),
    [
        ("127.0.0.1", True, "http://127.0.0.1:80"),
        ("127.8.8.8", True, "http://127.8.8.8:80"),
        ("localhost", True, "http://localhost:80"),
        ("::1", True, "http://[::1]:80"),
        ("0.0.0.0", False, "http://127.0.0.1:80"),
        ("::", False, "http://127.0.0.1:80"),
        ("10.0.0.1", False, "http://10.0.0.1:80"),
        ("shop.example", False, "http://shop.example:80"),
    ],
)
def test_what_is_loopback_and_what_is_printed(host: str, loopback: bool, address: str) -> None:
    assert is_loopback(host) is loopback
    assert address_of(host, 80) == address
