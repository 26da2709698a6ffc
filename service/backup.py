"""The whole database to one file and back: SQLite's online backup, PostgreSQL's own pg_dump. Mail goes on meanwhile.

A backup holds mails, addresses and keys' digests, so its file is for its owner's eyes only. It is written under another
name first: a file with the name that was asked for is whole.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import URL, create_engine, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from service.queries.database import export_snapshot, row_counts

SQLITE_HEAD = b"SQLite format 3\0"
POSTGRES_HEAD = b"PGDMP"


class BackupError(Exception):
    """One sentence of what stood in the way; nothing was changed."""


def back_up(database_url: str, target: Path) -> dict[str, int]:
    """Write the database as it is at one moment; how many rows of each table the file holds. Raises BackupError."""
    if target.exists():
        raise BackupError(f"{target} exists; a backup replaces no file")
    url = make_url(database_url)
    try:
        with _partial(target) as partial:
            return _dump_sqlite(url, partial) if _is_sqlite(url) else _dump_postgres(url, partial)
    except OSError as error:
        raise BackupError(f"{target}: {error.strerror}") from None


def restore(database_url: str, source: Path) -> dict[str, int]:
    """Fill an empty database from a backup; how many rows each table has then. Raises BackupError."""
    url = make_url(database_url)
    try:
        with source.open("rb") as stream:
            head = stream.read(len(SQLITE_HEAD))
        wanted = SQLITE_HEAD if _is_sqlite(url) else POSTGRES_HEAD
        if not head.startswith(wanted):
            raise BackupError(f"{source} is no backup of {'SQLite' if _is_sqlite(url) else 'PostgreSQL'}")
        return _load_sqlite(url, source) if _is_sqlite(url) else _load_postgres(url, source)
    except OSError as error:
        raise BackupError(f"{source}: {error.strerror}") from None


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name, on disk, where all went well, and is gone where it did not."""
    partial = target.with_name(f"{target.name}.partial")
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise BackupError(f"{partial} exists: another run writes it, or was broken off; then remove it") from None
    try:
        yield partial
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


def _copy_sqlite(source: Path, target: Path) -> None:
    """The online backup API: a consistent copy, page by page, while others read and write."""
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as here,
            closing(sqlite3.connect(target)) as there,
        ):
            here.backup(there)
            there.execute("pragma journal_mode=delete")  # one file, without a log beside it
            if (found := there.execute("pragma integrity_check").fetchone()[0]) != "ok":
                raise BackupError(f"{source} is damaged: {found}")
    except sqlite3.Error as error:
        raise BackupError(f"{source}: {error}") from None


def _counts(url: URL) -> dict[str, int]:
    engine = create_engine(url)
    try:
        with Session(engine) as session:
            return row_counts(session)
    finally:
        engine.dispose()


def _dump_sqlite(url: URL, partial: Path) -> dict[str, int]:
    database = Path(url.database or "")
    if not database.exists():
        raise BackupError(f"there is no database {database}")
    _copy_sqlite(database, partial)
    return _counts(url.set(database=str(partial)))


def _load_sqlite(url: URL, source: Path) -> dict[str, int]:
    database = Path(url.database or "")
    if database.exists():
        raise BackupError(f"{database} exists; stop the service and move it away, with its -wal and -shm")
    for leftover in (f"{database}-wal", f"{database}-shm"):
        if Path(leftover).exists():
            raise BackupError(f"{leftover} is of another database; move it away")
    database.parent.mkdir(parents=True, exist_ok=True)
    with _partial(database) as partial:
        _copy_sqlite(source, partial)
    return _counts(url)


def _dump_postgres(url: URL, partial: Path) -> dict[str, int]:
    """Counted and dumped at the same snapshot, so that the numbers are the file's and not those of a moment later."""
    engine = create_engine(url, isolation_level="REPEATABLE READ")
    try:
        with Session(engine) as session:
            snapshot, counts = export_snapshot(session), row_counts(session)
            options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
            _run("pg_dump", url, *options, f"--file={partial}")
        return counts
    finally:
        engine.dispose()


def _load_postgres(url: URL, source: Path) -> dict[str, int]:
    engine = create_engine(url)
    try:
        if inspect(engine).get_table_names():
            raise BackupError(f"the database {url.database} has tables already; restore into an empty one")
    finally:
        engine.dispose()
    _run("pg_restore", url, "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", str(source))
    return _counts(url)


def _run(program: str, url: URL, *arguments: str) -> None:
    if shutil.which(program) is None:
        raise BackupError(f"{program} is not installed; it comes with PostgreSQL's client programs")
    place = URL.create(
        "postgresql", username=url.username, host=url.host, port=url.port, database=url.database, query=url.query
    )
    password = {"PGPASSWORD": url.password} if url.password else {}  # the command line would show it to every user
    done = subprocess.run(
        [program, "--no-password", f"--dbname={place.render_as_string()}", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **password},
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise BackupError(f"{program}: {lines[-1].removeprefix(f'{program}: ')}")
