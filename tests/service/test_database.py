from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from fastapi.testclient import TestClient
from sqlalchemy import event, inspect, text
from sqlalchemy.exc import OperationalError

from model.classifier import Classifier
from service.app import create_app
from service.database import Base, UtcDateTime, make_engine, make_sessions
from service.intake.compose import Intake
from service.reading import Job, Reader, Stored
from service.schemas.emails import EmailIn
from service.settings import Settings
from service.upgrade import UnknownSchema, alembic_config, is_up_to_date, newest_revisions, upgrade


def test_the_migrations_make_what_the_tables_say(database_url: str) -> None:
    command.check(alembic_config(database_url))


def test_upgrading_twice_changes_nothing(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url, timeout_seconds=5)
    assert {"alembic_version", *Base.metadata.tables} <= set(inspect(engine).get_table_names())
    engine.dispose()


def test_the_newest_revision_is_alembics() -> None:
    assert newest_revisions() == set(ScriptDirectory.from_config(alembic_config("sqlite:///unused.db")).get_heads())


def test_only_a_database_at_the_newest_revision_is_up_to_date(database_url: str, tmp_path: Path) -> None:
    assert is_up_to_date(database_url)
    command.downgrade(alembic_config(database_url), "-1")
    assert not is_up_to_date(database_url)
    assert not is_up_to_date(f"sqlite:///{tmp_path}/empty.db")


def test_a_database_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/newer.db"
    upgrade(url)
    engine = make_engine(url, timeout_seconds=5)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = 'ffffffffffff'"))
    engine.dispose()
    with pytest.raises(UnknownSchema, match="ffffffffffff"):
        upgrade(url)


def test_a_start_on_a_database_that_is_up_to_date_loads_no_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/current.db"
    upgrade(url)
    code = (
        "import sys; from service.cli.commands import app; from service.cli.terminal import upgrade_database;"
        f" upgrade_database({url!r}); sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_sqlite_is_durable_and_concurrent(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/x.db", timeout_seconds=5)
    with engine.connect() as connection:
        modes = [connection.execute(text(f"pragma {name}")).scalar() for name in ("journal_mode", "synchronous")]
    engine.dispose()
    assert modes == ["wal", 2]  # 2 is FULL


def test_a_moment_without_a_zone_is_refused_and_others_are_kept_in_utc(database_url: str) -> None:
    engine = make_engine(database_url, timeout_seconds=5)
    kind = UtcDateTime()
    with pytest.raises(ValueError, match="no time zone"):
        kind.process_bind_param(datetime(2026, 1, 1), engine.dialect)
    noon_in_delhi = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=5.5)))
    stored = kind.process_bind_param(noon_in_delhi, engine.dialect)
    assert kind.process_result_value(stored, engine.dialect) == datetime(2026, 1, 1, 6, 30, tzinfo=UTC)
    engine.dispose()


def test_without_tables_the_service_is_alive_but_not_ready(tmp_path: Path, tiny_folder: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path}/empty.db", model_folder=tiny_folder, require_keys=False)
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503
        refused = client.post("/v1/emails", json={"text": "refund"})
    assert refused.status_code == 503
    assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("postgres://u@h/d", "postgresql+psycopg://u@h/d"),
        ("postgresql://u@h/d", "postgresql+psycopg://u@h/d"),
        ("sqlite:///x.db", "sqlite:///x.db"),
    ],
)
def test_database_urls_are_read_as_people_write_them(given: str, kept: str) -> None:
    assert Settings(database_url=given).database_url == kept


@pytest.mark.parametrize("given", ["mysql://h/d", "x.db", ""])
def test_another_database_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="must begin with sqlite:/// or postgresql://"):
        Settings(database_url=given)


@pytest.mark.parametrize("given", ["sqlite:///", "sqlite:///:memory:"])
def test_a_database_in_memory_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="would lose every mail"):
        Settings(database_url=given)


def test_two_upgrades_at_once_take_turns(tmp_path: Path) -> None:
    environment = {**os.environ, "REFUND_ROUTER_DATABASE_URL": f"sqlite:///{tmp_path}/x.db"}
    command_line = [sys.executable, "-m", "service.cli", "db", "upgrade"]
    both = [subprocess.Popen(command_line, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate(timeout=60)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors


def test_a_migration_that_fails_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/x.db"

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.create_index", fail)
        with pytest.raises(OSError, match="disk full"):
            upgrade(url)
    upgrade(url)
    command.check(alembic_config(url))


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_migration_that_waits_too_long_for_a_lock_leaves_nothing_and_can_be_made_again(database_url: str) -> None:
    command.downgrade(alembic_config(database_url), "9b3f71d8a2e4")
    engine = make_engine(database_url, timeout_seconds=60)
    with engine.connect() as reader:
        reader.execute(text("select count(*) from feedback"))  # which the next revision changes
        with pytest.raises(OperationalError, match="lock timeout"):
            upgrade(database_url)
    engine.dispose()
    assert not is_up_to_date(database_url)
    upgrade(database_url)
    command.check(alembic_config(database_url))


def test_a_batch_is_read_at_once_and_stored_by_one_commit(
    database_url: str, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(database_url, timeout_seconds=10)
    sessions, commits, read, predict = make_sessions(engine), list[Any](), list[int](), Classifier.predict

    def counted(classifier: Classifier, texts: list[str], **options: Any) -> Any:
        read.append(len(texts))
        return predict(classifier, texts, **options)

    monkeypatch.setattr(Classifier, "predict", counted)
    event.listen(sessions, "after_commit", commits.append)
    jobs = [Job(Intake(f"refund {n}"), EmailIn(message_id=f"<{n}@x>", text=f"refund {n}")) for n in range(20)]
    assert len(Reader(tiny_classifier, sessions, auto_threshold=0.9).process(jobs)) == 20
    engine.dispose()
    assert read[0] == 20
    assert len(read) <= 2  # of some the phrases are exchanged, and these are read again
    assert len(commits) == 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_an_index_whose_build_was_broken_off_is_built_anew(database_url: str) -> None:
    command.downgrade(alembic_config(database_url), "c47e0a95b1d3")
    engine = make_engine(database_url, timeout_seconds=5)
    with engine.begin() as connection:
        connection.execute(text("create index ix_mail_words_words_spans on mail_words (email_id)"))
        connection.execute(text("drop index ix_mail_words_words"))
    upgrade(database_url)
    query = "select indexdef from pg_indexes where tablename = 'mail_words' and indexname like 'ix%'"
    with engine.connect() as connection:
        [made] = connection.scalars(text(query))
    engine.dispose()
    assert "USING gin (words, (ARRAY[" in made


def test_two_processes_that_store_the_same_mails_make_one_row_each(
    database_url: str, tiny_classifier: Classifier
) -> None:
    engine = make_engine(database_url, timeout_seconds=10)
    readers = [Reader(tiny_classifier, make_sessions(engine), auto_threshold=0.9) for _ in range(2)]
    jobs = [Job(Intake(f"mail {n}"), EmailIn(message_id=f"<{n}@x>", text=f"mail {n}")) for n in range(40)]
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(readers[0].process, jobs)
        second = pool.submit(readers[1].process, jobs[::-1])
        answers = [*first.result(), *second.result()]
    stored = {answer.email.id for answer in answers if isinstance(answer, Stored) and answer.email is not None}
    assert len(stored) == 40
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from emails")).scalar_one() == 40
    engine.dispose()


def test_rows_of_the_release_before_are_read_and_it_can_still_write(database_url: str, settings: Settings) -> None:
    command.downgrade(alembic_config(database_url), "15ff832c16a5")
    engine = make_engine(database_url, timeout_seconds=5)
    insert_email = (
        "insert into emails (id, recipients, text, details, created_at) values (:id, '[]', 'x', '{}', :moment)"
    )
    insert_prediction = (
        "insert into predictions (id, email_id, model_version, label, confidence, probabilities, spans, decision,"
        " reasons, truncated, created_at)"
        " values (:id, :id, 'm', 'other', 1, '{\"other\": 1}', '[]', 'auto', '[]', false, :moment)"
    )

    def write(mail_id: str) -> None:
        with engine.begin() as connection:
            for statement in (insert_email, insert_prediction):
                connection.execute(text(statement), {"id": mail_id, "moment": "2026-11-29 10:00:00"})

    write("before")
    upgrade(database_url)
    write("after")
    engine.dispose()
    with TestClient(create_app(settings)) as client:
        found = client.get("/v1/emails").json()["data"]
    assert {mail["id"] for mail in found} == {"before", "after"}
    for mail in found:
        assert [mail[name] for name in ("source", "cut", "context", "attachments", "conversation")] == [None] * 5
