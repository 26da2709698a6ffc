"""SQLite: erased words out of the full-text index itself, a bounded number of pages at a time.

FTS5 finds what was deleted no more, but holds it until its segments are written anew (https://sqlite.org/fts5.html,
sections 6.7 to 6.9). `optimize` does that at once, under the write lock for as long as it takes, and every time adds
levels to the index until it has more than the 2,000 that SQLite reads, and then takes the index for damaged. So here
all segments are put to one merge, which goes on step by step whatever comes in meanwhile, and empty levels are dropped.
PostgreSQL forgets words with their row.
"""

from __future__ import annotations

import json
import logging
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.queries.database import begin_writing

log = logging.getLogger(__name__)

PAGES = 500  # of 4 KB that a step writes: some tenths of a second
MOST_LEVELS = 100  # with more a pass begins by dropping the empty ones
STRUCTURE_ID = 10  # the row of the index's data that names its segments
COOKIE_BYTES = 4


class UnknownLayout(ValueError):
    """The full-text index is not laid out as it was known to be: a newer SQLite."""


class Level(NamedTuple):
    merging: int  # how many of its segments a merge is at
    segments: list[tuple[int, int, int]]  # id, first page, last page


class Structure(NamedTuple):
    cookie: bytes
    writes: int
    levels: list[Level]

    def ends(self) -> set[tuple[int, int]]:
        """What tells segments: a merge moves a segment's first page, and never its last."""
        return {(number, last) for level in self.levels for number, _, last in level.segments}


def want_forgetting(session: Session) -> None:
    """Note, with the erasure itself, that the index has something to forget."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("update mail_words_forgetting set wanted = wanted + 1"))


def forget_step(session: Session) -> bool:
    """A step on the way; True where the index holds nothing that was erased before this step's pass began, and nothing
    else is wanted."""
    if session.get_bind().dialect.name != "sqlite":
        return True
    if not session.scalar(text("select wanted > forgotten from mail_words_forgetting")):
        return True
    session.commit()
    begin_writing(session)
    row = session.execute(text("select wanted, passing, segments from mail_words_forgetting")).one()
    try:
        structure = read_structure(session)
    except UnknownLayout:
        log.warning("the full-text index is laid out in a way that is not known; it is merged at once")
        session.execute(text("insert into mail_words (mail_words) values ('optimize')"))
        return _end_pass(session, row.wanted)
    if len(structure.levels) > MOST_LEVELS:
        drop_empty_levels(session)
        return False
    passing, old = row.passing, {(number, last) for number, last in json.loads(row.segments or "[]")}
    if passing is None:
        passing, old = row.wanted, structure.ends()
        session.execute(text("insert into mail_words (mail_words, rank) values ('usermerge', 2)"))
        if len(old) > 1:
            _merge(session, -PAGES)
    elif not _merge(session, PAGES):
        _merge(session, -PAGES)
    if len(old) > 1 and not old.isdisjoint(read_structure(session).ends()):
        values = {"passing": passing, "segments": json.dumps(sorted(old))}
        session.execute(text("update mail_words_forgetting set passing = :passing, segments = :segments"), values)
        return False
    drop_empty_levels(session)
    _end_pass(session, passing)
    return bool(passing == row.wanted)


def _end_pass(session: Session, passing: int) -> bool:
    done = text("update mail_words_forgetting set forgotten = :passing, passing = null, segments = null")
    session.execute(done, {"passing": passing})
    return True


def _merge(session: Session, pages: int) -> bool:
    """Whether there was anything to merge; below 0 all segments are put to one merge first."""
    changes = text("select total_changes()")
    before = session.execute(changes).scalar_one()
    session.execute(text("insert into mail_words (mail_words, rank) values ('merge', :pages)"), {"pages": pages})
    return bool(session.execute(changes).scalar_one() - before >= 2)  # one is the command itself


def read_structure(session: Session) -> Structure:
    """Raises UnknownLayout."""
    query = text("select block from mail_words_data where id = :id")
    return decode(session.scalar(query, {"id": STRUCTURE_ID}) or b"")


def drop_empty_levels(session: Session) -> None:
    """They say nothing. This connection may have read them before, so it is closed after the transaction, not kept."""
    structure = read_structure(session)
    kept = [level for level in structure.levels if level.segments]
    if len(kept) + 1 >= len(structure.levels):
        return
    block = encode(structure._replace(levels=kept))
    update = text("update mail_words_data set block = :block where id = :id")
    session.execute(update, {"block": block, "id": STRUCTURE_ID})
    session.connection().detach()


def decode(block: bytes) -> Structure:
    """The record as fts5_index.c describes it: a cookie, then numbers of 1 to 9 bytes."""
    numbers, at = [], COOKIE_BYTES
    while at < len(block):
        value, at = _number(block, at)
        numbers.append(value)
    rest = iter(numbers)
    try:
        n_levels, n_segments, writes = next(rest), next(rest), next(rest)
        levels = []
        for _ in range(n_levels):
            merging, count = next(rest), next(rest)
            levels.append(Level(merging, [(next(rest), next(rest), next(rest)) for _ in range(count)]))
    except (StopIteration, RuntimeError):
        raise UnknownLayout from None
    if list(rest) or sum(len(level.segments) for level in levels) != n_segments:
        raise UnknownLayout
    return Structure(block[:COOKIE_BYTES], writes, levels)


def encode(structure: Structure) -> bytes:
    numbers = [len(structure.levels), sum(len(level.segments) for level in structure.levels), structure.writes]
    for level in structure.levels:
        numbers += [level.merging, len(level.segments), *(number for segment in level.segments for number in segment)]
    return structure.cookie + b"".join(map(_bytes, numbers))


def _number(block: bytes, at: int) -> tuple[int, int]:
    """A number of SQLite's (https://sqlite.org/fileformat.html#varint) below 2**56, and where the next one begins."""
    value = 0
    while True:
        if at >= len(block):
            raise UnknownLayout
        byte, at = block[at], at + 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at


def _bytes(value: int) -> bytes:
    pieces = [value & 0x7F]
    while value := value >> 7:
        pieces.append(value & 0x7F | 0x80)
    return bytes(reversed(pieces))
