"""The database and the models as a command opens them, and the name under which it acts."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError, read_model_folder
from service.cli.terminal import read_settings, refuse, upgrade_database
from service.database import make_engine, make_sessions
from service.errors import ServiceError
from service.model_shelf import ModelShelf
from service.settings import Settings, released_model
from service.suite_runs import SuiteRuns


@contextmanager
def opened() -> Iterator[tuple[Settings, sessionmaker[Session], ModelShelf]]:
    """The database, brought up to date, and the shelf of the settings; what goes wrong is told in one line."""
    settings = read_settings()
    try:
        default_version = read_model_folder(settings.model_folder).version
    except ModelFolderError as error:
        raise refuse(str(error)) from None
    shelf = ModelShelf(
        settings.models_folder,
        default=settings.model_folder,
        default_version=default_version,
        released=released_model(),
    )
    upgrade_database(settings.database_url)
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    try:
        yield settings, make_sessions(engine), shelf
    except ServiceError as error:
        raise refuse(error.detail) from None
    except SQLAlchemyError as error:
        raise refuse(f"database: {type(error).__name__}") from None
    finally:
        engine.dispose()


def suite_runs(settings: Settings, sessions: sessionmaker[Session]) -> SuiteRuns:
    """The suites and their runs, as the service with these settings has them."""
    return SuiteRuns(
        sessions,
        suite_files=settings.suite_files(),
        auto_threshold=settings.auto_threshold,
        every_hours=settings.check_every_hours,
    )


def who() -> str:
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):  # a container's user may have no name
        return f"user {os.getuid()} (command line)"
