"""`refund-router backup` and `refund-router restore`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import SQLAlchemyError

from service.backup import BackupError, back_up
from service.backup import restore as fill_from
from service.cli.terminal import err, out, read_settings, refuse, upgrade_database


def backup(file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")]) -> None:
    """Write the whole database to one file while the service runs, and print the rows of each table.

    Example: `refund-router backup /backups/router-$(date +%F).db`
    """
    _print(_told(lambda: back_up(read_settings().database_url, file), "backing up"))


def restore(file: Annotated[Path, typer.Argument(help="What `refund-router backup` wrote.")]) -> None:
    """Fill an empty database from a backup, bring it up to date, and print the rows of each table.

    Example: `REFUND_ROUTER_DATABASE_URL=postgresql://…/empty refund-router restore router.dump`
    """
    url = read_settings().database_url
    counts = _told(lambda: fill_from(url, file), "restoring")
    upgrade_database(url)
    _print(counts)


def _told(work: Callable[[], dict[str, int]], what: str) -> dict[str, int]:
    try:
        with err.status(what):
            return work()
    except BackupError as error:
        raise refuse(str(error)) from None
    except ModuleNotFoundError as error:
        raise refuse(f"database: {error}; pip install 'refund-router[postgres]'") from None
    except SQLAlchemyError as error:
        raise refuse(f"database: {str(getattr(error, 'orig', error)).strip().splitlines()[0]}") from None


def _print(counts: dict[str, int]) -> None:
    for table, rows in sorted(counts.items()):
        out.print(f"{table} {rows}", markup=False)
