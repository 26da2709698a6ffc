"""SQLite's full-text index forgets erased words: step by step, whatever comes in meanwhile, and however often."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


def test_the_record_of_segments_is_read_and_written_back_alike(engine: Engine) -> None:
    sessions = make_sessions(engine)
    fill(engine, 1_000)
    with sessions() as session:
        block = session.scalar(text("select block from mail_words_data where id = 10"))
    structure = forgetting.decode(block)
    assert structure.ends()
    assert forgetting.encode(structure) == block
    for broken in (b"", block[:-1], block + b"\1", b"\0\0\0\0\xff"):
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
