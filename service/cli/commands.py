"""`refund-router`: a module for each command. Exit codes: 0 well, 1 a check failed, 2 bad input."""

from __future__ import annotations

import typer

from service.cli import backup, check, classify, database, drift, erase, export, keys, models, serve

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False
)
app.command()(serve.serve)
app.command()(classify.classify)
app.command()(check.check)
app.command()(drift.drift)
app.command()(export.export)
app.command()(erase.erase)
app.command()(backup.backup)
app.command()(backup.restore)
app.add_typer(database.app, name="db")
app.add_typer(keys.app, name="keys")
app.add_typer(models.app, name="models")
