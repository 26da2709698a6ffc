from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event
from sqlalchemy.engine import Engine

from service.access import OPEN, WHO_MAY, Role
from service.app import create_app
from service.callers import Callers
from service.credentials import digest
from service.database import make_engine, make_sessions
from service.settings import Settings
from tests.service.secured import bearer, execute, new_key
from tests.service.test_emails import FEE, assert_problem

UNKNOWN = "rr_" + "a" * 43


@pytest.fixture
def guarded(settings: Settings) -> Settings:
    return settings.model_copy(update={"require_keys": True})


@pytest.fixture
def keys(database_url: str) -> dict[Role, str]:
    return {role: new_key(database_url, role) for role in Role}


@pytest.fixture
def open_client(guarded: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(guarded), raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


ENDLESS = "/inbox/events"  # a stream that only its reader ends: asked by HEAD, which the gate judges as GET


def test_each_role_gets_in_where_the_table_says_and_nowhere_else(
    open_client: TestClient, keys: dict[Role, str]
) -> None:
    for (method, template), allowed in WHO_MAY.items():
        path = re.sub(r"{\w+}", "some-value", template)
        if allowed is OPEN:
            answer = open_client.request(method, path)  # the form of /sign-in is a page with its own 401
            assert answer.status_code not in (401, 403) or answer.headers["content-type"].startswith("text/html"), path
            continue
        assert_problem(open_client.request(method, path), 401)
        for role, key in keys.items():
            let_in = role in allowed
            asked = "HEAD" if let_in and path == ENDLESS else method
            answer = open_client.request(asked, path, headers=bearer(key))
            if let_in:
                assert answer.status_code not in (401, 403), (method, path, role)
            else:
                assert_problem(answer, 403, str(role))


def test_a_route_that_nobody_knows_is_404_for_admins_only(open_client: TestClient, keys: dict[Role, str]) -> None:
    assert_problem(open_client.get("/v1/nothing"), 401)
    assert_problem(open_client.get("/v1/nothing", headers=bearer(keys[Role.AGENT])), 403)
    assert_problem(open_client.get("/v1/nothing", headers=bearer(keys[Role.ADMIN])), 404)


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", f"Bearer {UNKNOWN}", "Bearer rr_é", "Basic YTpi", UNKNOWN, "Bearer \x00"]
)
def test_anything_but_a_key_is_401_with_a_challenge(
    open_client: TestClient, keys: dict[Role, str], authorization: str
) -> None:
    assert keys
    answer = open_client.get("/v1/labels", headers={"Authorization": authorization.encode()})
    assert_problem(answer, 401)
    assert answer.headers["www-authenticate"] == 'Bearer realm="refund-router", error="invalid_token"'
    assert open_client.get("/v1/labels").headers["www-authenticate"] == 'Bearer realm="refund-router"'


def test_a_key_with_one_letter_changed_is_unknown(open_client: TestClient, keys: dict[Role, str]) -> None:
    key = keys[Role.ADMIN]
    for place in (5, 20, len(key) - 2):
        changed = key[:place] + ("A" if key[place] != "A" else "B") + key[place + 1 :]
        assert_problem(open_client.get("/v1/keys", headers=bearer(changed)), 401)


def test_a_callers_body_is_not_read_before_the_key(open_client: TestClient, keys: dict[Role, str]) -> None:
    broken = {"content": b"not json", "headers": {"content-type": "application/json"}}
    assert_problem(open_client.post("/v1/emails", **broken), 401)  # and not 400
    broken["headers"] = {**bearer(keys[Role.AGENT]), "content-type": "application/json"}
    assert_problem(open_client.post("/v1/emails", **broken), 403)


def test_a_key_past_its_rate_is_told_when_to_come_back(open_client: TestClient, database_url: str) -> None:
    slow = new_key(database_url, Role.AGENT, "slow", requests_per_second=0.01)
    other = new_key(database_url, Role.AGENT, "other")
    assert open_client.get("/v1/labels", headers=bearer(slow)).status_code == 200
    refused = open_client.get("/v1/labels", headers=bearer(slow))
    assert_problem(refused, 429, "0.01 requests a second")
    assert 90 < int(refused.headers["retry-after"]) <= 100
    assert open_client.get("/v1/labels", headers=bearer(other)).status_code == 200


def test_an_expired_key_is_refused_also_while_it_is_remembered(open_client: TestClient, database_url: str) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    key = new_key(database_url, Role.AGENT, "short", expires_at=soon)
    assert open_client.get("/v1/labels", headers=bearer(key)).status_code == 200
    open_client.app_state["callers"].forget()
    past = "2026-01-01 00:00:00"
    execute(database_url, "update api_keys set expires_at = :past where name = 'short'", past=past)
    assert_problem(open_client.get("/v1/labels", headers=bearer(key)), 401)


def callers_on(url: str, now: list[float]) -> tuple[Callers, Engine]:
    engine = make_engine(url, timeout_seconds=5)
    return Callers(make_sessions(engine), idle=timedelta(hours=1), clock=lambda: now[0]), engine


def test_a_key_revoked_elsewhere_stops_within_five_seconds(database_url: str) -> None:
    key, now = new_key(database_url, Role.AGENT), [0.0]
    callers, engine = callers_on(database_url, now)

    async def scenario() -> list[bool]:
        seen = [await callers.by_key(key) is not None]
        execute(database_url, "update api_keys set revoked_at = created_at")  # another process
        for now[0] in (4.9, 5.0):
            seen.append(await callers.by_key(key) is not None)
        await callers.close()
        return seen

    assert asyncio.run(scenario()) == [True, True, False]
    engine.dispose()


def test_a_thousand_requests_at_once_and_in_a_row_ask_the_database_once(database_url: str) -> None:
    key = new_key(database_url, Role.INGEST)
    callers, engine = callers_on(database_url, [0.0])
    selects: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *args: selects.append(args[2]))

    async def scenario() -> None:
        assert all(await asyncio.gather(*(callers.by_key(key) for _ in range(500))))
        for _ in range(500):
            assert await callers.by_key(key) is not None
        assert await callers.by_key("rr_short") is None  # no key's shape: not asked at all
        await callers.close()

    asyncio.run(scenario())
    engine.dispose()
    assert len([line for line in selects if line.lstrip().upper().startswith("SELECT")]) == 1
    assert len([line for line in selects if line.lstrip().upper().startswith("UPDATE")]) == 1


def test_the_last_use_is_noted_at_most_once_a_minute(database_url: str) -> None:
    key, now = new_key(database_url, Role.INGEST), [0.0]
    callers, engine = callers_on(database_url, now)

    async def use() -> None:
        await callers.by_key(key)
        await callers.close()

    def last_used() -> object:
        return execute(database_url, "select last_used_at from api_keys")[0][0]

    assert last_used() is None
    asyncio.run(use())
    first = last_used()
    now[0] = 10
    asyncio.run(use())
    assert last_used() == first is not None
    execute(database_url, "update api_keys set last_used_at = :past", past="2026-01-01 00:00:00")
    now[0] = 20
    asyncio.run(use())
    assert str(last_used()) > "2026-11"
    engine.dispose()


def test_a_key_is_neither_in_the_database_nor_in_the_log(
    open_client: TestClient, database_url: str, keys: dict[Role, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    admin = keys[Role.ADMIN]
    made = open_client.post("/v1/keys", json={"name": "shop", "role": "ingest"}, headers=bearer(admin))
    assert made.status_code == 201
    assert open_client.post("/v1/emails", json={"text": FEE}, headers=bearer(made.json()["key"])).status_code == 201
    assert_problem(open_client.post("/v1/emails", json={"text": FEE}, headers=bearer(UNKNOWN)), 401)
    listed = open_client.get("/v1/keys", headers=bearer(admin)).text
    stored = str(execute(database_url, "select * from api_keys") + execute(database_url, "select * from audit_entries"))
    for key in (*keys.values(), made.json()["key"]):
        for place in (stored, listed, caplog.text):
            assert key[11:] not in place
    assert digest(admin) in stored
    assert digest(admin) not in listed


def test_the_database_down_is_503_and_not_401(tmp_path_factory: pytest.TempPathFactory, guarded: Settings) -> None:
    empty = f"sqlite:///{tmp_path_factory.mktemp('none')}/empty.db"  # without tables
    with TestClient(create_app(guarded.model_copy(update={"database_url": empty}))) as client:
        answer = client.get("/v1/labels", headers=bearer(UNKNOWN))
    assert_problem(answer, 503)
    assert answer.headers["retry-after"]


@pytest.mark.parametrize(
    ("access", "address", "status"),
    [
        ("loopback", "127.0.0.1", 200),
        ("loopback", "::1", 200),
        ("loopback", "192.0.2.7", 401),
        ("loopback", "testclient", 401),
        ("everyone", "192.0.2.7", 200),
        ("keys", "127.0.0.1", 401),
    ],
)
def test_metrics_are_open_by_setting(guarded: Settings, access: str, address: str, status: int) -> None:
    app = create_app(guarded.model_copy(update={"metrics_access": access}))
    with TestClient(app, client=(address, 5)) as client:
        assert client.get("/metrics").status_code == status


def test_no_other_sites_page_changes_anything_where_no_keys_are_asked_for(client: TestClient) -> None:
    mail = {"json": {"text": FEE}}
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
    ):
        assert_problem(client.post("/v1/emails", headers=headers, **mail), 403)
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}, {}):
        assert client.post("/v1/emails", headers=headers, **mail).status_code == 201
