"""A caller's key is exchanged as docs/operations.md says, on two processes of one database."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from service.app import create_app
from service.cli.commands import app
from service.settings import Settings
from service.upgrade import upgrade
from tests.service.secured import bearer

REVOKED_SECONDS = 5.0
SLOW_SECONDS = 5.0  # a machine that others use


def keys(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["keys", *arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout.strip()


def test_a_key_is_exchanged_without_a_refused_mail_and_the_old_one_ends_everywhere(
    tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/router.db"
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", url)
    monkeypatch.setenv("REFUND_ROUTER_CHECK_AT_START", "off")
    upgrade(url)
    settings = Settings(model_folder=tiny_folder)
    with TestClient(create_app(settings)) as first, TestClient(create_app(settings)) as second:

        def statuses(key: str) -> set[int]:
            posted = [
                client.post("/v1/emails", json={"text": "refund the cake"}, headers=bearer(key))
                for client in (first, second)
            ]
            return {answer.status_code // 100 for answer in posted}

        old = keys("create", "mail-server-2026", "--role", "ingest")
        assert statuses(old) == {2}
        new = keys("create", "mail-server-2027", "--role", "ingest")
        assert statuses(old) == statuses(new) == {2}
        keys("revoke", "mail-server-2026")
        revoked = monotonic()
        while statuses(old) != {4}:
            assert statuses(new) == {2}
            assert monotonic() < revoked + REVOKED_SECONDS + SLOW_SECONDS
        assert statuses(new) == {2}
