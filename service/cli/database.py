"""`refund-router db`: the database's schema."""

from __future__ import annotations

import typer

from service.cli.terminal import err, read_settings, upgrade_database

app = typer.Typer(no_args_is_help=True, help="The database.")


@app.command("upgrade")
def dbupgrade_database() -> None:
    """Create or update the tables of REFUND_ROUTER_DATABASE_URL.

    Example: `REFUND_ROUTER_DATABASE_URL=postgresql://… refund-router db upgrade`
    """
    upgrade_database(read_settings().database_url)
    err.print("the database is up to date")
