"""`refund-router keys`: API keys, for whoever may write to the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.access import Role
from service.cli.entrance import address_of, print_console
from service.cli.terminal import err, out, print_table, read_settings, refuse, upgrade_database
from service.database import make_engine, make_sessions
from service.errors import ServiceError
from service.issuing import live_key, make_key, revoke_key
from service.queries import keys as queries
from service.schemas.keys import KeyIn
from service.sign_in import new_link

app = typer.Typer(no_args_is_help=True, help="API keys: made, listed, revoked.")
ACTOR = "command-line"
PAGE = 200


@contextmanager
def open_session() -> Iterator[Session]:
    """A session on the settings' database, brought up to date; what goes wrong is told in one line, exit code 2."""
    settings = read_settings()
    upgrade_database(settings.database_url)
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    try:
        with make_sessions(engine).begin() as session:
            yield session
    except ServiceError as error:
        raise refuse(error.detail) from None
    except SQLAlchemyError as error:
        raise refuse(f"database: {str(getattr(error, 'orig', None) or error).strip().splitlines()[0]}") from None
    finally:
        engine.dispose()


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Whose key it is; stands in the audit beside what is done with it.")],
    role: Annotated[Role, typer.Option(help="What it may do.")],
    days: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="Days until it expires; never by default.")
    ] = None,
    requests_per_second: Annotated[
        float | None, typer.Option(help="Its rate limit; REFUND_ROUTER_KEY_REQUESTS_PER_SECOND by default.")
    ] = None,
) -> None:
    """Make a key and print it, this once.

    Example: `refund-router keys create mail-server-2026 --role ingest`
    """
    try:
        expires_at = datetime.now(UTC) + timedelta(days=days) if days is not None else None
        wanted = KeyIn(name=name, role=role, expires_at=expires_at, requests_per_second=requests_per_second)
    except ValidationError as error:
        first = error.errors()[0]
        raise refuse(f"{first['loc'][0]}: {first['msg']}") from None
    with open_session() as session:
        row, key = make_key(session, wanted=wanted, actor=ACTOR)
    err.print(f"key {row.name} ({row.role}); it is shown this once", markup=False, soft_wrap=True)
    out.print(key, markup=False, soft_wrap=True)


@app.command("list")
def list_keys() -> None:
    """List the keys, newest first, with what is known of each; never a key itself.

    Example: `refund-router keys list`
    """
    with open_session() as session:
        rows = list(queries.list_keys(session, limit=PAGE))
        while rows and (more := queries.list_keys(session, limit=PAGE, before_id=rows[-1].id)):
            rows += more
    table = Table("name", "prefix", "role", "state", "created", "last used")
    for row in rows:
        state = "live" if row.expires_at is None else f"until {_day(row.expires_at)}"
        if row.expires_at is not None and row.expires_at <= datetime.now(UTC):
            state = f"expired {_day(row.expires_at)}"
        if row.revoked_at is not None:
            state = f"revoked {_day(row.revoked_at)}"
        used = "never" if row.last_used_at is None else f"{row.last_used_at:%Y-%m-%d %H:%M}"
        table.add_row(row.name, row.prefix, row.role, state, _day(row.created_at), used)
    print_table(table)


@app.command()
def revoke(name: Annotated[str, typer.Argument(help="The key's name, or its prefix.")]) -> None:
    """Revoke a key. Within five seconds no process of the service lets it in any more.

    Example: `refund-router keys revoke mail-server-2026`
    """
    with open_session() as session:
        row = revoke_key(session, named=name, actor=ACTOR)
    err.print(f"key {row.name} is revoked", markup=False, soft_wrap=True)


@app.command()
def link(
    name: Annotated[str, typer.Argument(help="The key whose role the browser gets; its name or prefix.")],
    url: Annotated[
        str | None, typer.Option(help="Where browsers find the service; REFUND_ROUTER_PUBLIC_URL by default.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Its port on this machine; REFUND_ROUTER_PORT by default.")
    ] = None,
) -> None:
    """Print a link that signs one browser in to the console, once, within fifteen minutes.

    Examples: `refund-router keys link desk-1` · `refund-router keys link desk-1 --port 8099`
    """
    if url is not None and port is not None:
        raise refuse("--url and --port: give one of them")
    if url is not None and not url.startswith(("http://", "https://")):
        raise refuse(f"--url {url}: begins with neither http:// nor https://")
    settings = read_settings()
    given = url or (settings.public_url if port is None else "")
    address = given.rstrip("/") or address_of(settings.host, port or settings.port)
    with open_session() as session:
        token = new_link(session, key=live_key(session, named=name), actor=ACTOR)
    print_console(address, f"/sign-in?token={token}")
    if not given and port is None:
        err.print(
            f"assumed: the service is at {address}; --port or --url names another place", markup=False, soft_wrap=True
        )


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"
