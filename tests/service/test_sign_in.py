from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from service.access import Role
from service.app import create_app
from service.cli.commands import app as command_line
from service.credentials import csrf_token
from service.gate import COOKIE
from service.settings import Settings
from service.sign_in import local_path
from service.upgrade import upgrade
from tests.service.secured import bearer, execute, new_key
from tests.service.test_emails import assert_problem
from tests.service.test_models import until

HTML = {"Accept": "text/html,*/*;q=0.8"}
PAST = "2026-01-01 00:00:00"


@pytest.fixture
def guarded(settings: Settings) -> Settings:
    return settings.model_copy(update={"require_keys": True})


@pytest.fixture
def browser(guarded: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(guarded), raise_server_exceptions=False, follow_redirects=False, headers=HTML) as client:
        yield client


def enter(browser: TestClient, key: str, **fields: str) -> Any:
    return browser.post("/sign-in", data={"key": key, **fields})


def link_token(url: str, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", url)
    made = CliRunner().invoke(command_line, ["keys", "link", name])
    assert made.exit_code == 0, made.stderr
    found = re.search(r"http://127\.0\.0\.1:8080/sign-in\?token=(\S{43}) ", made.stderr)
    assert found is not None
    return found.group(1)


def test_a_browser_is_sent_to_sign_in_and_back_to_where_it_was(browser: TestClient, database_url: str) -> None:
    key = new_key(database_url, Role.AGENT)
    sent = browser.get("/?label=refund_fee&q=a%20b")
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?next=%2F%3Flabel%3Drefund_fee%26q%3Da%2520b")
    page = browser.get(sent.headers["location"])
    assert 'value="/?label=refund_fee&amp;q=a%20b"' in page.text
    back = enter(browser, key, next="/?label=refund_fee&q=a%20b")
    assert (back.status_code, back.headers["location"]) == (303, "/?label=refund_fee&q=a%20b")
    assert browser.get(back.headers["location"]).status_code == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(guarded: Settings, database_url: str) -> None:
    key = new_key(database_url, Role.AGENT)
    for scheme, secure in (("http", False), ("https", True)):
        with TestClient(create_app(guarded), base_url=f"{scheme}://testserver", follow_redirects=False) as client:
            cookie = enter(client, key).headers["set-cookie"]
        attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/", "max-age=43200"} <= attributes
        assert ("secure" in attributes) is secure
        assert key not in cookie


def test_programs_are_told_401_where_browsers_are_sent_to_sign_in(browser: TestClient) -> None:
    assert_problem(browser.get("/", headers={"Accept": "*/*"}), 401)
    assert_problem(browser.get("/v1/emails"), 401)
    assert_problem(browser.post("/"), 401)
    assert_problem(browser.get("/", headers=bearer("rr_" + "a" * 43)), 401)


@pytest.mark.parametrize(
    "where",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/ /evil.example",
        "/é",
        "",
        "/sign-in?next=/",
        "/sign-out",
        "/" + "a" * 3_000,
        "/a\r\nSet-Cookie: x=1",
    ],
)
def test_no_way_back_leads_to_another_site(browser: TestClient, database_url: str, where: str) -> None:
    assert local_path(where) is None
    key = new_key(database_url, Role.AGENT)
    assert enter(browser, key, next=where).headers["location"] == "/"
    assert "evil" not in browser.get(f"/sign-in?next={quote(where, safe='')}").text


def test_a_link_signs_in_once_with_its_keys_role(
    browser: TestClient, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_key(database_url, Role.AGENT, "desk")
    token = link_token(database_url, "desk", monkeypatch)
    for _ in range(2):  # looking at it uses nothing up
        assert f'value="{token}"' in browser.get(f"/sign-in?token={token}").text
    assert browser.post("/sign-in", data={"token": token}).status_code == 303
    assert browser.get("/").status_code == 200
    assert_problem(browser.get("/v1/keys"), 403, "agent")
    browser.cookies.clear()
    again = browser.post("/sign-in", data={"token": token})
    assert again.status_code == 401
    assert "used already" in again.text
    stored = str(execute(database_url, "select * from sign_in_links"))
    assert token not in stored


@pytest.mark.parametrize(
    ("arguments", "setting", "address", "assumed"),
    [
        ([], "", "http://127.0.0.1:8080", True),
        (["--port", "8099"], "https://desk.example", "http://127.0.0.1:8099", False),
        (["--url", "https://desk.example/"], "", "https://desk.example", False),
        ([], "https://desk.example", "https://desk.example", False),
    ],
)
def test_a_link_leads_to_where_the_service_is_said_to_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    setting: str,
    address: str,
    assumed: bool,
) -> None:
    url = f"sqlite:///{tmp_path}/links.db"
    upgrade(url)
    new_key(url, Role.AGENT, "desk")
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", url)
    monkeypatch.setenv("REFUND_ROUTER_PUBLIC_URL", setting)
    made = CliRunner().invoke(command_line, ["keys", "link", "desk", *arguments])
    assert (made.exit_code, f"console: {address}/sign-in?token=" in made.stderr) == (0, True), made.stderr
    assert ("assumed: the service is at" in made.stderr) is assumed
    both = CliRunner().invoke(command_line, ["keys", "link", "desk", "--port", "1", "--url", "https://x"])
    assert (both.exit_code, "give one of them" in both.stderr) == (2, True)


def test_an_old_link_lets_nobody_in(browser: TestClient, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new_key(database_url, Role.AGENT, "desk")
    token = link_token(database_url, "desk", monkeypatch)
    execute(database_url, "update sign_in_links set expires_at = :past", past=PAST)
    assert browser.post("/sign-in", data={"token": token}).status_code == 401


def test_a_link_of_a_revoked_key_lets_nobody_in(
    browser: TestClient, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_key(database_url, Role.AGENT, "desk")
    token = link_token(database_url, "desk", monkeypatch)
    execute(database_url, "update api_keys set revoked_at = created_at")
    assert browser.post("/sign-in", data={"token": token}).status_code == 401
    refused = CliRunner().invoke(command_line, ["keys", "link", "desk"])
    assert (refused.exit_code, "revoked or expired" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("role", "where", "arrives"),
    [
        (Role.AGENT, "/", "/"),
        (Role.OPS, "/", "/models"),  # ops reads no mail
        (Role.ADMIN, "/v1/keys", "/v1/keys"),
        (Role.AGENT, "/v1/keys", "/"),
    ],
)
def test_people_arrive_where_their_role_may_be(
    browser: TestClient, database_url: str, role: Role, where: str, arrives: str
) -> None:
    assert enter(browser, new_key(database_url, role), next=where).headers["location"] == arrives


def test_a_key_for_ingest_opens_no_console(browser: TestClient, database_url: str) -> None:
    assert enter(browser, new_key(database_url, Role.INGEST)).status_code == 401


@pytest.mark.parametrize(
    "statement",
    [
        "update console_sessions set expires_at = :past",
        "update console_sessions set last_seen_at = :past",
        "update api_keys set revoked_at = :past",
        "update api_keys set expires_at = :past",
        "delete from console_sessions where created_at > :past",
    ],
    ids=["expired", "idle", "key revoked", "key expired", "gone"],
)
def test_a_session_that_ended_leads_to_sign_in(browser: TestClient, database_url: str, statement: str) -> None:
    enter(browser, new_key(database_url, Role.AGENT))
    assert browser.get("/").status_code == 200
    execute(database_url, statement, past=PAST)
    browser.app_state["callers"].forget()  # as after five seconds
    sent = browser.get("/")
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?next=%2F")
    assert_problem(browser.get("/v1/labels"), 401)


def test_a_cookie_changes_something_only_with_its_own_csrf_token(browser: TestClient, database_url: str) -> None:
    enter(browser, new_key(database_url, Role.ADMIN, "boss"))
    right = csrf_token(browser.cookies[COOKIE])
    wanted = {"name": "desk", "role": "agent"}
    for headers in (
        {},
        {"X-CSRF-Token": "no"},
        {"X-CSRF-Token": csrf_token("another")},
        {"X-CSRF-Token": "é".encode()},
    ):
        assert_problem(browser.post("/v1/keys", json=wanted, headers=headers), 403, "CSRF")
    foreign = {"X-CSRF-Token": right, "Sec-Fetch-Site": "cross-site"}
    assert_problem(browser.post("/v1/keys", json=wanted, headers=foreign), 403, "another site")
    assert browser.post("/v1/keys", json=wanted, headers={"X-CSRF-Token": right}).status_code == 201


def test_a_form_carries_the_csrf_token_and_its_other_fields_arrive(browser: TestClient, database_url: str) -> None:
    enter(browser, new_key(database_url, Role.AGENT))
    assert_problem(browser.post("/sign-out", data={"csrf_token": "no"}), 403, "CSRF")
    assert browser.get("/").status_code == 200
    token = browser.cookies[COOKIE]
    signed_out = browser.post("/sign-out", data={"x": "y", "csrf_token": csrf_token(token)})
    assert (signed_out.status_code, signed_out.headers["location"]) == (303, "/sign-in")
    assert COOKIE not in browser.cookies
    assert browser.get("/", headers={"Cookie": f"{COOKIE}={token}"}).status_code == 303  # not forgotten only: ended


def test_a_form_too_large_is_not_read(browser: TestClient, database_url: str) -> None:
    assert_problem(browser.post("/sign-in", content=b"key=" + b"a" * 20_000), 413)
    enter(browser, new_key(database_url, Role.AGENT))
    assert_problem(browser.post("/sign-out", data={"x": "a" * 1_100_000}), 413)


def test_signing_in_from_another_sites_form_is_refused(browser: TestClient, database_url: str) -> None:
    key = new_key(database_url, Role.AGENT)
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert_problem(browser.post("/sign-in", data={"key": key}, headers=headers), 403)


def test_a_key_is_used_by_signing_in_and_by_the_console(browser: TestClient, database_url: str) -> None:
    key = new_key(database_url, Role.AGENT, "desk")

    def last_used() -> object:
        return execute(database_url, "select last_used_at from api_keys where name = 'desk'")[0][0]

    assert last_used() is None
    enter(browser, key)
    assert last_used() is not None
    execute(database_url, "update api_keys set last_used_at = null")
    execute(
        database_url, "update console_sessions set last_seen_at = :then", then=datetime.now(UTC) - timedelta(hours=1)
    )
    assert browser.get("/").status_code == 200
    until(lambda: last_used() is not None)


def test_ten_wrong_tries_are_enough_and_right_ones_cost_nothing(guarded: Settings, database_url: str) -> None:
    app, key = create_app(guarded), new_key(database_url, Role.AGENT)
    with TestClient(app, client=("192.0.2.1", 5), follow_redirects=False) as client:
        assert [enter(client, key).status_code for _ in range(12)] == [303] * 12
        wrong = [enter(client, f"rr_{number:043}").status_code for number in range(12)]
        assert wrong == [401] * 10 + [429] * 2
        refused = enter(client, key)
        assert (refused.status_code, 0 < int(refused.headers["retry-after"]) <= 10) == (429, True)
    failed = execute(database_url, "select count(*) from audit_entries where action = 'sign_in_failed'")[0][0]
    assert failed == 10  # a flood of tries does not flood the audit


def test_the_audit_says_who_signed_in_out_and_failed(browser: TestClient, database_url: str) -> None:
    enter(browser, "wrong")
    enter(browser, new_key(database_url, Role.AGENT, "desk"))
    browser.post("/sign-out", data={"csrf_token": csrf_token(browser.cookies[COOKIE])})
    rows = execute(database_url, "select actor, action from audit_entries where actor <> 'test' order by id")
    assert [tuple(row) for row in rows] == [
        ("unknown", "sign_in_failed"),
        ("desk", "signed_in"),
        ("desk", "signed_out"),
    ]


def test_neither_key_nor_cookie_nor_link_stands_in_the_database(browser: TestClient, database_url: str) -> None:
    key = new_key(database_url, Role.AGENT)
    enter(browser, key)
    stored = str(execute(database_url, "select * from console_sessions"))
    assert browser.cookies[COOKIE] not in stored
    assert key not in stored


def test_what_is_typed_on_the_page_is_shown_as_text_only(browser: TestClient) -> None:
    page = browser.get("/sign-in", params={"token": '"><script>alert(1)</script>', "next": '/"><script>'})
    assert "<script>" not in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]


def test_without_keys_the_console_is_open_and_local(client: TestClient) -> None:
    assert client.get("/").status_code == 200
    assert client.post("/v1/keys", json={"name": "desk", "role": "agent"}).status_code == 201
    assert client.get("/v1/audit").json()["data"][0]["actor"] == "local"
