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
from typing import Any, NamedTuple

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from service.queries.database import begin_writing

log = logging.getLogger(__name__)

PAGES = 500  # of 4 KB that a step writes: some tenths of a second
MOST_LEVELS = 100  # with more a step begins by laying them flat
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
    row, structure = _begin(session)
    if structure is not None and _is_uneven(structure, begins=row.passing is None):
        lay_flat(session, structure)
        row, structure = _begin(session)
    if structure is None:
        log.warning(
            "the full-text index is laid out in a way that is not known; it is merged at once, and may go on holding"
            " words that were erased"
        )
        session.execute(text("insert into mail_words (mail_words) values ('optimize')"))
        return _end_pass(session, row.wanted)
    passing, old = row.passing, {(number, last) for number, last in json.loads(row.segments or "[]")}
    if passing is None:
        passing, old = row.wanted, structure.ends()
        session.execute(text("insert into mail_words (mail_words, rank) values ('usermerge', 2)"))
        if len(old) == 1:
            _add_segment(session)
        merged = bool(old) and _merge(session, -PAGES)
    else:
        merged = _merge(session, PAGES) or _merge(session, -PAGES)
    if merged and not old.isdisjoint(read_structure(session).ends()):
        values = {"passing": passing, "segments": json.dumps(sorted(old))}
        session.execute(text("update mail_words_forgetting set passing = :passing, segments = :segments"), values)
        return False
    drop_empty_levels(session)
    _end_pass(session, passing)
    return bool(passing == row.wanted)


def _begin(session: Session) -> tuple[Row[Any], Structure | None]:
    """How far it came, and the index's segments where their layout is known, under the write lock."""
    session.commit()
    begin_writing(session)
    row = session.execute(text("select wanted, passing, segments from mail_words_forgetting")).one()
    try:
        return row, read_structure(session)
    except UnknownLayout:
        return row, None


def _is_uneven(structure: Structure, *, begins: bool) -> bool:
    """Whether a merge might carry on the words of deletions, or have done so: it drops them only on its way to the last
    level, empty or not. Or whether there are so many levels that SQLite may read no more."""
    levels = structure.levels
    at_the_top = [level.segments for level in levels[-2:]]  # a merge from the last but one goes to the last
    if len(levels) > MOST_LEVELS or (len(levels) > 1 and not any(at_the_top)):
        return True
    return any(level.merging for level in levels) and (begins or not at_the_top[-1])


def _end_pass(session: Session, passing: int) -> bool:
    done = text("update mail_words_forgetting set forgotten = :passing, passing = null, segments = null")
    session.execute(done, {"passing": passing})
    return True


def _add_segment(session: Session) -> None:
    """A single segment is merged with nothing, and may hold deletions of a merge to a level that was not the last: a
    word of no mail, the first of all, and its deletion are two more."""
    for command, columns in (("", ""), ("'delete', ", "mail_words, ")):
        session.execute(text(f"insert into mail_words ({columns}rowid, words) values ({command}0, '0')"))


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


def lay_flat(session: Session, structure: Structure) -> None:
    """All segments on one level, the oldest first, with no merge under way; below it an empty one for what comes in."""
    segments = [segment for level in reversed(structure.levels) for segment in level.segments]
    _write(session, structure._replace(levels=[Level(0, []), Level(0, segments)] if segments else []))


def drop_empty_levels(session: Session) -> None:
    """They say nothing."""
    structure = read_structure(session)
    kept = [level for level in structure.levels if level.segments]
    if len(kept) + 1 < len(structure.levels):
        _write(session, structure._replace(levels=kept))


def _write(session: Session, structure: Structure) -> None:
    """This connection may have read the record before, so it is closed after the transaction, not kept."""
    update = text("update mail_words_data set block = :block where id = :id")
    session.execute(update, {"block": encode(structure), "id": STRUCTURE_ID})
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
    structure = Structure(block[:COOKIE_BYTES], writes, levels)
    if sum(len(level.segments) for level in levels) != n_segments or encode(structure) != block:
        raise UnknownLayout
    for level, into in zip(levels, [*levels[1:], Level(0, [])], strict=False):
        if level.merging > len(level.segments) or (level.merging and not into.segments):
            raise UnknownLayout
    if any(first > last for level in levels for _, first, last in level.segments):
        raise UnknownLayout
    return structure


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
