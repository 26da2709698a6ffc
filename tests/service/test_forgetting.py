"""SQLite's full-text index forgets erased words: step by step, whatever comes in meanwhile, and however often."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session, sessionmaker

from service import erasure
from service.database import make_engine, make_sessions
from service.housekeeping import Housekeeping
from service.queries import emails, forgetting
from service.search_words import parse_search
from service.upgrade import upgrade
from tests.benchmarks.list_pages import fill

MARK = "zyzzyva"
MAILS = 6_000


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path}/router.db"
    upgrade(url)
    engine = make_engine(url, timeout_seconds=30)
    yield engine
    engine.dispose()


def store(sessions: sessionmaker[Session], number: int, words: str) -> str:
    mail_id = f"0199{number:04x}-0000-7000-8000-000000000000"
    with sessions.begin() as session:
        session.execute(
            text(
                "insert into emails (id, recipients, text, details, created_at)"
                " values (:id, '[]', :words, '{}', '2026-11-30 10:00:00')"
            ),
            {"id": mail_id, "words": words},
        )
        session.execute(
            text(
                "insert into predictions (id, email_id, model_version, label, confidence, probabilities, spans,"
                " decision, reasons, truncated, created_at)"
                " values (:id, :id, 'm', 'other', 1, '{}', '[]', 'auto', '[]', false, '2026-11-30 10:00:00')"
            ),
            {"id": mail_id},
        )
    return mail_id


def found(sessions: sessionmaker[Session]) -> int:
    with sessions() as session:
        return len(emails.list_emails(session, limit=50, search=parse_search(MARK)))


def held(sessions: sessionmaker[Session]) -> bool:
    """Whether any page of the index holds the word: of its own term, whole, or less the beginning shared with a
    neighbour."""
    with sessions() as session:
        return any(MARK[3:].encode() in block for block in session.scalars(text("select block from mail_words_data")))


def test_in_a_large_store_erasing_takes_one_step_and_rounds_do_the_rest_while_mail_comes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = make_sessions(engine)
    store(sessions, 0, f"the {MARK} came first")
    fill(engine, MAILS)
    monkeypatch.setattr(forgetting, "PAGES", 20)
    monkeypatch.setattr("service.housekeeping.FORGET_STEPS", 1)
    mail_id = "01990000-0000-7000-8000-000000000000"
    assert (found(sessions), held(sessions)) == (1, True)
    assert erasure.erase(sessions, [mail_id], actor="ann", why="id").mails == 1
    assert (found(sessions), held(sessions)) == (0, True), "no search finds it, and the pages are not yet written anew"
    housekeeping = Housekeeping(sessions, pause_seconds=60, retention_days=36_500)
    rounds = 0
    while held(sessions):
        store(sessions, rounds + 1, f"another mail {rounds}")
        housekeeping.round()
        rounds += 1
        assert rounds < 100
    assert rounds > 1
    for _ in range(3):
        housekeeping.round()
    with sessions() as session:
        assert forgetting.forget_step(session)
        session.execute(text("insert into mail_words (mail_words) values ('integrity-check')"))
    with sessions() as session:
        assert len(emails.list_emails(session, limit=50, search=parse_search("parrot"))) == 50


def test_any_number_of_erasures_leaves_the_index_as_flat_as_before(engine: Engine) -> None:
    sessions = make_sessions(engine)
    for number in range(60):
        mail_id = store(sessions, number, f"{MARK}{number} and the fee")
        erasure.erase(sessions, [mail_id], actor="ann", why="id")
        assert not held(sessions)
    with sessions() as session:
        assert len(forgetting.read_structure(session).levels) < 10


def test_an_index_with_more_levels_than_sqlite_reads_is_mended(engine: Engine) -> None:
    sessions = make_sessions(engine)
    store(sessions, 0, f"the {MARK} stays")
    mail_id = store(sessions, 1, "the fee goes")
    with sessions.begin() as session:
        structure = forgetting.read_structure(session)
        deep = structure._replace(levels=[forgetting.Level(0, [])] * 2_001 + structure.levels)
        session.execute(
            text("update mail_words_data set block = :block where id = 10"), {"block": forgetting.encode(deep)}
        )
        forgetting.want_forgetting(session)
    engine.dispose()
    with pytest.raises(Exception, match="mail_words"):
        store(sessions, 2, "no mail can be stored")
    assert erasure.forget(sessions, steps=5)
    store(sessions, 3, f"again {MARK}")
    erasure.erase(sessions, [mail_id], actor="ann", why="id")
    assert found(sessions) == 2


def rewrite(engine: Engine, structure: forgetting.Structure) -> None:
    with make_sessions(engine).begin() as session:
        update = text("update mail_words_data set block = :block where id = 10")
        session.execute(update, {"block": forgetting.encode(structure)})
    engine.dispose()  # FTS5 of that connection may have read it before


def structure_of(sessions: sessionmaker[Session]) -> forgetting.Structure:
    with sessions() as session:
        return forgetting.read_structure(session)


@pytest.mark.parametrize("merging", [False, True])
def test_a_pass_merges_to_the_top_for_what_lies_above_keeps_the_words_of_deletions(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, merging: bool
) -> None:
    """A merge drops a deletion only on its way to the last level, though the levels after it are empty."""
    sessions = make_sessions(engine)
    mail_id = store(sessions, 0, f"the {MARK} goes")
    fill(engine, 3_000)
    structure = structure_of(sessions)
    segments = [segment for level in reversed(structure.levels) for segment in level.segments]
    above = [forgetting.Level(0, [])] * 5
    rewrite(engine, structure._replace(levels=[forgetting.Level(0, segments), *above]))
    monkeypatch.setattr(forgetting, "PAGES", 1)
    with sessions.begin() as session:
        session.execute(text("update emails set text = '' where id = :id"), {"id": mail_id})
        forgetting.want_forgetting(session)
        if merging:
            session.execute(text("insert into mail_words (mail_words, rank) values ('merge', -1)"))
    assert bool(structure_of(sessions).levels[0].merging) == merging
    assert not erasure.forget(sessions, steps=1)
    levels = structure_of(sessions).levels
    assert [bool(level.merging) for level in levels[-2:]] == [True, False], "it is on the way"
    assert len(levels[-1].segments) == 1
    structure = structure_of(sessions)
    rewrite(engine, structure._replace(levels=[*structure.levels, forgetting.Level(0, [])]))
    assert not erasure.forget(sessions, steps=1)
    assert structure_of(sessions).levels[-1].segments, "nor with a level that was added meanwhile"
    assert erasure.forget(sessions, steps=1_000)
    assert not held(sessions)
    assert len(structure_of(sessions).ends()) == 1


def test_a_single_segment_is_written_anew_for_it_may_hold_deletions(engine: Engine) -> None:
    sessions = make_sessions(engine)
    store(sessions, 0, f"the {MARK} goes")
    mail_id = store(sessions, 1, "the fee stays")
    structure = structure_of(sessions)
    rewrite(engine, structure._replace(levels=[*structure.levels, *[forgetting.Level(0, [])] * 5]))
    with sessions.begin() as session:
        session.execute(text("update emails set text = '' where id <> :id"), {"id": mail_id})
        session.execute(text("insert into mail_words (mail_words, rank) values ('merge', -500)"))
        forgetting.want_forgetting(session)
    before = structure_of(sessions).ends()
    assert len(before) == 1
    assert erasure.forget(sessions, steps=1)
    assert not held(sessions)
    assert before.isdisjoint(structure_of(sessions).ends())
    with sessions() as session:
        assert len(emails.list_emails(session, limit=50, search=parse_search("stays"))) == 1
        session.execute(text("insert into mail_words (mail_words) values ('integrity-check')"))


def test_a_pass_ends_where_a_new_segment_is_told_for_an_old_one_and_nothing_is_left_to_merge(engine: Engine) -> None:
    """FTS5 gives a segment the number of one that is gone."""
    sessions = make_sessions(engine)
    store(sessions, 0, "one mail")
    (end,) = structure_of(sessions).ends()
    with sessions.begin() as session:
        values = {"segments": json.dumps([end, (7, 7)])}
        session.execute(text("update mail_words_forgetting set passing = 1, segments = :segments"), values)
    assert erasure.forget(sessions, steps=1)


def test_a_step_holds_no_writer_up_for_a_reader_that_takes_long(engine: Engine) -> None:
    sessions = make_sessions(engine)
    mail_id = store(sessions, 0, f"the {MARK} goes")
    with engine.connect() as reader:
        reader.exec_driver_sql("begin")
        reader.exec_driver_sql("select count(*) from emails").all()
        begun = monotonic()
        erasure.erase(sessions, [mail_id], actor="ann", why="id")
        assert monotonic() - begun < 10, "of the 30 seconds that a statement waits for a lock"
    with sessions() as session:
        assert session.scalar(text("pragma busy_timeout")) == 30_000
    assert erasure.forget(sessions, steps=1)
    assert not held(sessions)
    assert Path(f"{engine.url.database}-wal").stat().st_size == 0


def test_the_record_of_segments_is_read_and_written_back_alike(engine: Engine) -> None:
    sessions = make_sessions(engine)
    fill(engine, 1_000)
    with sessions() as session:
        block = session.scalar(text("select block from mail_words_data where id = 10"))
    structure = forgetting.decode(block)
    assert structure.ends()
    assert forgetting.encode(structure) == block
    with_tombstones = bytes.fromhex("00000000ff00000101010100010101010101000001")
    unknown = (
        b"\0\0\0\0\xff",
        with_tombstones,  # of contentless_delete=1, SQLite 3.43
        b"\0\0\0\0\0\0" + b"\x80" * 8 + b"\1",  # the ninth byte of a number has eight bits
        b"\0\0\0\0\1\1\0\1\1\1\1\1",  # a merge into no level
        b"\0\0\0\0\2\1\0\1\1\1\1\1\0\0",  # into an empty one
        b"\0\0\0\0\2\2\0\2\1\1\1\1\0\1\2\1\1",  # of more than there are
        b"\0\0\0\0\1\1\0\0\1\1\2\1",  # pages that end before they begin
    )
    for broken in (b"", block[:-1], block + b"\1", *unknown):
        with pytest.raises(forgetting.UnknownLayout):
            forgetting.decode(broken)


def test_an_index_of_an_unknown_layout_is_merged_at_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: bytes) -> forgetting.Structure:
        raise forgetting.UnknownLayout

    sessions = make_sessions(engine)
    mail_id = store(sessions, 0, f"the {MARK}")
    store(sessions, 1, "another")
    monkeypatch.setattr(forgetting, "decode", unknown)
    erasure.erase(sessions, [mail_id], actor="ann", why="id")
    assert not held(sessions)


def test_an_erasure_is_told_as_done_though_the_index_cannot_forget_yet(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = make_sessions(engine)
    mail_id = store(sessions, 1, f"refund the {MARK}")
    hurried = make_engine(f"sqlite:///{tmp_path}/router.db", timeout_seconds=0)
    writer = sqlite3.connect(tmp_path / "router.db", isolation_level=None)

    def seize(_: int) -> None:  # once the erasure is committed another process writes
        writer.execute("begin immediate")

    erased = erasure.erase(make_sessions(hurried), [mail_id], actor="ann", why="id", advance=seize)
    writer.execute("rollback")
    assert (erased.mails, "did not forget yet" in caplog.text) == (1, True)
    assert erasure.forget(sessions, steps=5)
    writer.close()
    hurried.dispose()


def test_an_index_that_is_damaged_holds_up_no_other_housekeeping(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = make_sessions(engine)
    mail_id = store(sessions, 1, "to a person please")
    with sessions.begin() as session:
        session.execute(text("update predictions set decision = 'review'"))
        session.execute(text("update mail_words_forgetting set wanted = forgotten + 1"))
        session.execute(text("delete from mail_words_data where id = 10"))
    Housekeeping(sessions, pause_seconds=60, retention_days=36_500).round()
    assert "failed a round's forget" in caplog.text
    with sessions() as session:
        assert list(session.scalars(text("select email_id from reviews"))) == [mail_id]
