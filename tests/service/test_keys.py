from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from service.access import Role
from service.app import create_app
from service.cli.commands import app
from service.settings import Settings
from tests.service.secured import bearer, execute, new_key
from tests.service.test_emails import assert_problem

runner = CliRunner()


@pytest.fixture
def admin(settings: Settings, database_url: str) -> Iterator[TestClient]:
    key = new_key(database_url, Role.ADMIN, "boss")
    guarded = settings.model_copy(update={"require_keys": True})
    with TestClient(create_app(guarded), raise_server_exceptions=False, headers=bearer(key)) as client:
        yield client


def make(admin: TestClient, **fields: object) -> dict[str, str]:
    answer = admin.post("/v1/keys", json=fields)
    assert answer.status_code == 201, answer.text
    made: dict[str, str] = answer.json()
    return made


def test_a_key_made_over_http_works_until_it_is_revoked(admin: TestClient) -> None:
    made = make(admin, name="desk", role="agent")
    assert made["key"].startswith(made["prefix"])
    assert admin.get("/v1/labels", headers=bearer(made["key"])).status_code == 200
    assert admin.delete(f"/v1/keys/{made['prefix']}").status_code == 204
    assert_problem(admin.get("/v1/labels", headers=bearer(made["key"])), 401)
    first = admin.get("/v1/keys").json()["data"][0]["revoked_at"]
    assert admin.delete("/v1/keys/desk").status_code == 204  # once more, by name, changes nothing
    assert admin.get("/v1/keys").json()["data"][0]["revoked_at"] == first is not None


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"name": "boss", "role": "agent"}, 409, "exists"),
        ({"name": "local", "role": "agent"}, 422, "local"),
        ({"name": "a b", "role": "agent"}, 422, "name"),
        ({"name": "x", "role": "king"}, 422, "role"),
        ({"name": "x", "role": "agent", "expires_at": "2020-01-01T00:00:00Z"}, 422, "expires_at"),
        ({"name": "x", "role": "agent", "expires_at": "9999-01-01T00:00:00Z"}, 422, "expires_at"),
        ({"name": "x", "role": "agent", "requests_per_second": 0}, 422, "requests_per_second"),
    ],
)
def test_a_wrong_key_is_not_made(admin: TestClient, fields: dict[str, object], status: int, words: str) -> None:
    assert_problem(admin.post("/v1/keys", json=fields), status, words)
    assert len(admin.get("/v1/keys").json()["data"]) == 1


def test_a_key_that_is_not_there_is_404(admin: TestClient) -> None:
    for name in ("nobody", "%00"):
        assert_problem(admin.delete(f"/v1/keys/{name}"), 404)


def test_keys_and_audit_are_paged_newest_first(admin: TestClient) -> None:
    for number in range(3):
        make(admin, name=f"k{number}", role="ingest")
    for path, field, expected in (
        ("/v1/keys", "name", ["k2", "k1", "k0", "boss"]),
        ("/v1/audit", "subject", ["k2", "k1", "k0", "boss"]),
    ):
        seen, cursor = [], None
        while True:
            page = admin.get(path, params={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
            seen += [entry[field] for entry in page["data"]]
            if (cursor := page["next_cursor"]) is None:
                break
        assert seen == expected


def test_the_audit_says_who_made_and_revoked_a_key(admin: TestClient) -> None:
    made = make(admin, name="desk", role="agent")
    admin.delete("/v1/keys/desk")
    entries = admin.get("/v1/audit", params={"actor": "boss"}).json()["data"]
    assert [(entry["action"], entry["subject"]) for entry in entries] == [
        ("key_revoked", "desk"),
        ("key_created", "desk"),
    ]
    assert entries[1]["details"] == {"prefix": made["prefix"], "role": "agent"}
    only = admin.get("/v1/audit", params={"action": "key_revoked"}).json()["data"]
    assert [entry["id"] for entry in only] == [entries[0]["id"]]


@pytest.mark.parametrize("statement", ["update audit_entries set actor = 'me'", "delete from audit_entries"])
def test_the_database_refuses_to_change_the_audit(admin: TestClient, database_url: str, statement: str) -> None:
    with pytest.raises(DBAPIError, match="append-only"):
        execute(database_url, statement)
    assert admin.get("/v1/audit").json()["data"][0]["actor"] == "test"


def test_a_key_made_on_the_command_line_is_printed_once_and_listed_without_it(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", database_url)
    made = runner.invoke(app, ["keys", "create", "desk", "--role", "agent", "--days", "3"])
    assert made.exit_code == 0, made.stderr
    key = made.stdout.strip()
    assert key not in made.stderr
    listed = runner.invoke(app, ["keys", "list"], env={"COLUMNS": "200"})
    assert key[:11] in listed.stdout
    assert key[11:] not in listed.stdout
    assert "never" in listed.stdout
    long = "mail-server-of-the-second-warehouse-2026-11-30"
    runner.invoke(app, ["keys", "create", long, "--role", "ingest"])
    assert long in runner.invoke(app, ["keys", "list"], env={"COLUMNS": "80"}).stdout
    runner.invoke(app, ["keys", "revoke", long])
    assert runner.invoke(app, ["keys", "revoke", "desk"]).exit_code == 0
    assert "revoked" in runner.invoke(app, ["keys", "list"], env={"COLUMNS": "200"}).stdout
    actors = execute(database_url, "select actor, action from audit_entries where subject = 'desk' order by id")
    assert [tuple(row) for row in actors] == [("command-line", "key_created"), ("command-line", "key_revoked")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["create", "a b", "--role", "agent"], "name:"),
        (["create", "service", "--role", "agent"], "name: service"),
        (["create", "x", "--role", "agent", "--requests-per-second", "-1"], "requests_per_second"),
        (["revoke", "nobody"], "no key has this prefix or name"),
    ],
)
def test_bad_input_of_keys_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", f"sqlite:///{tmp_path}/x.db")
    result = runner.invoke(app, ["keys", *arguments])
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr
