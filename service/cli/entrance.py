"""What a start says of keys: the first admin key, once, and a link that signs one browser in."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import FastAPI
from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier
from service.cli.terminal import err, refuse
from service.database import make_engine, make_sessions
from service.errors import Conflict
from service.local_host import LocalHostMiddleware, is_loopback
from service.queries import keys as queries
from service.settings import Settings
from service.sign_in import LINK_LIFE, admin_key, new_link


def check_host(settings: Settings) -> None:
    """Refuse to listen beyond loopback without keys, before anything is loaded."""
    if not settings.require_keys and not is_loopback(settings.host):
        raise refuse(f"without keys the service listens on loopback only, and {settings.host} is not")


def import_app() -> None:
    """Import what only a start needs."""
    import service.app
    import service.listening  # noqa: F401


def guarded_app(settings: Settings, classifier: Classifier) -> FastAPI:
    """The app that a start serves: where it asks for no keys, it answers to loopback's names only."""
    from service.app import create_app

    app = create_app(settings, classifier)
    if not settings.require_keys:
        app.add_middleware(LocalHostMiddleware)
    return app


def console_link(settings: Settings) -> str:
    """The path and query that sign one browser in; the path of the console where no keys are asked for.

    Prints the admin key where one had to be made. Exit code 2 where there is no key and the host is not loopback.
    """
    if not settings.require_keys:
        return "/"
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    try:
        sessions = make_sessions(engine)
        try:
            return _link(settings, sessions)
        except Conflict:  # another process that starts on the same database made the first key meanwhile
            return _link(settings, sessions)
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
