"""Bring a database's schema up to date, from the migrations that are shipped with the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

import migrations
from service.database import make_engine, make_sessions
from service.queries.database import migration_revision

if TYPE_CHECKING:  # a tenth of a start, which only a database that is behind has to wait for
    from alembic.config import Config

FOLDER = Path(migrations.__file__).parent
REVISION = re.compile(r'^(down_)?revision = "(\w+)"', re.MULTILINE)
LOOK_SECONDS = 10.0


class UnknownSchema(RuntimeError):
    """A database that these migrations do not lead to: a newer release made it, or none did."""


def alembic_config(database_url: str) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["database_url"] = database_url
    return config


def newest_revisions() -> set[str]:
    """Those that no other one follows; as Alembic finds them, but without running the files."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for path in (FOLDER / "versions").glob("*.py"):
        for before, revision in REVISION.findall(path.read_text(encoding="utf-8")):
            found[bool(before)].add(revision)
    return found[False] - found[True]


def is_up_to_date(database_url: str) -> bool:
    """False also where it cannot be told: then the upgrade says what is wrong."""
    engine = make_engine(database_url, timeout_seconds=LOOK_SECONDS)
    try:
        with make_sessions(engine)() as session:
            return {migration_revision(session)} == newest_revisions()
    except SQLAlchemyError:
        return False
    finally:
        engine.dispose()


def upgrade(database_url: str) -> None:
    """Raises UnknownSchema, or what the database raises."""
    if is_up_to_date(database_url):
        return
    from alembic import command
    from alembic.util.exc import CommandError

    try:
        command.upgrade(alembic_config(database_url), "head")
    except CommandError as error:
        raise UnknownSchema(str(error)) from error
