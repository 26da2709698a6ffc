"""What a start says of keys: the first admin key, once, and a link that signs one browser in."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime

from sqlalchemy.orm import Session, sessionmaker

from service.cli.terminal import err, refuse
from service.database import make_engine, make_sessions
from service.queries import keys as queries
from service.settings import Settings
from service.sign_in import LINK_LIFE, admin_key, new_link


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_host(settings: Settings) -> None:
    """Refuse to listen beyond loopback without keys, before anything is loaded."""
    if not settings.require_keys and not is_loopback(settings.host):
        raise refuse(f"without keys the service listens on loopback only, and {settings.host} is not")


def console_link(settings: Settings) -> str:
    """The path and query that sign one browser in; the path of the console where no keys are asked for.

    Prints the admin key where one had to be made. Exit code 2 where there is no key and the host is not loopback.
    """
    if not settings.require_keys:
        return "/"
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    try:
        return _link(settings, make_sessions(engine))
    finally:
        engine.dispose()


def _link(settings: Settings, sessions: sessionmaker[Session]) -> str:
    with sessions.begin() as session:
        if not is_loopback(settings.host) and queries.first_live_key(session, now=datetime.now(UTC)) is None:
            raise refuse(
                f"there is no key yet, and {settings.host} is not loopback; "
                "make one first: refund-router keys create NAME --role admin"
            )
        row, key = admin_key(session)
        token = new_link(session, key=row, actor="service")
    if key is not None:  # after the commit: a key that is shown is a key that works
        err.print(f"admin key: {key}   (shown this once)", markup=False, soft_wrap=True)
    return f"/sign-in?token={token}"


def print_console(address: str, link: str) -> None:
    """address: http://HOST:PORT."""
    until = ""
    if link != "/":
        until = f"   (signs one browser in, until {datetime.now(UTC) + LINK_LIFE:%H:%M} UTC)"
    err.print(f"console: {address}{link}{until}", markup=False, soft_wrap=True)


def address_of(host: str, port: int) -> str:
    """Where a browser on this machine finds the service."""
    if host in ("0.0.0.0", "::", ""):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
