"""The file of an SQLite database is taken away under a running service and brought back, or another takes its place."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.service.faults.process import get, post, running, until_status
from tests.service.faults.stored import mails_in


def test_an_sqlite_file_that_is_gone_takes_no_mail_until_it_is_back(tmp_path: Path, tiny_folder: Path) -> None:
    path, away = tmp_path / "router.db", tmp_path / "away"
    away.mkdir()
    with running(f"sqlite:///{path}", tiny_folder) as service:
        assert post(service.port, message_id="<before@x>", text="refund")[0] == 201
        for file in tmp_path.glob("router.db*"):
            file.rename(away / file.name)
        assert post(service.port, message_id="<meanwhile@x>", text="refund")[0] == 503
        assert [get(service.port, route)[0] for route in ("/readyz", "/healthz")] == [503, 503]
        assert list(tmp_path.glob("router.db*")) == []  # nor is an empty one made that could be taken for it
        for file in away.iterdir():
            file.rename(tmp_path / file.name)
        until_status(200, lambda: get(service.port, "/readyz"))
        assert post(service.port, message_id="<before@x>", text="refund")[0] == 200
        assert post(service.port, message_id="<meanwhile@x>", text="refund")[0] == 201
    assert set(mails_in(f"sqlite:///{path}")) == {"<before@x>", "<meanwhile@x>"}


def test_mail_goes_into_the_sqlite_file_that_took_the_place_of_another(tmp_path: Path, tiny_folder: Path) -> None:
    path, copy = tmp_path / "router.db", tmp_path / "copy.db"
    with running(f"sqlite:///{path}", tiny_folder) as service:
        assert post(service.port, message_id="<before@x>", text="refund")[0] == 201
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        for file in tmp_path.glob("router.db*"):
            file.unlink()
        copy.rename(path)
        until_status(200, lambda: get(service.port, "/readyz"))
        assert post(service.port, message_id="<after@x>", text="refund")[0] == 201
    assert set(mails_in(f"sqlite:///{path}")) == {"<before@x>", "<after@x>"}
