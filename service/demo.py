"""`make run`: the service on the embedded SQLite, with the sample mails labelled. Ctrl-C stops it.

python -m service.demo --port 8080
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from service.access import Role
from service.cli.entrance import check_host, console_link, guarded_app, print_console
from service.cli.terminal import prepare
from service.database import make_engine, make_sessions
from service.issuing import make_key, revoke_key
from service.listening import Server, server_config
from service.schemas.keys import KeyIn
from service.settings import Settings

SAMPLES = Path(__file__).parent / "samples.jsonl"
out = Console(highlight=False)


@contextmanager
def sample_key(settings: Settings) -> Iterator[str]:
    """A key that hands the samples in and is revoked after."""
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    sessions, now = make_sessions(engine), datetime.now(UTC)
    wanted = KeyIn(name=f"make-run-{now:%Y%m%d-%H%M%S-%f}", role=Role.INGEST, expires_at=now + timedelta(minutes=15))
    try:
        with sessions.begin() as session:
            _, key = make_key(session, wanted=wanted, actor="command-line")
        yield key
        with sessions.begin() as session:
            revoke_key(session, named=wanted.name, actor="command-line")
    finally:
        engine.dispose()


def send_samples(address: str, key: str) -> None:
    """Post each sample; on a second run they are known by their message ids and not stored again."""
    table = Table("label", "confidence", "decision", "words")
    for line in SAMPLES.read_text(encoding="utf-8").splitlines():
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        request = urllib.request.Request(f"{address}/v1/emails", line.encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = json.load(response)
        words = " ".join(answer["text"].split())
        table.add_row(answer["label"], f"{answer['confidence']:.3f}", answer["decision"], words[:90])
    out.print(table)


def wait_until_up(server: Server, settings: Settings) -> None:
    while not server.started:
        if server.should_exit:
            raise SystemExit(1)
        time.sleep(0.02)
    address = f"http://{server.config.host}:{server.servers[0].sockets[0].getsockname()[1]}"
    link = console_link(settings)
    with sample_key(settings) as key:
        send_samples(address, key)
    print_console(address, link)
    out.print("Ctrl-C stops the service")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    settings, classifier = prepare(port=parser.parse_args().port)
    check_host(settings)
    with socket.socket() as probe:
        if settings.port and probe.connect_ex((settings.host, settings.port)) == 0:
            sys.stderr.write(f"port {settings.port} is taken; try: make run PORT={settings.port + 1}\n")
            return 2
    app = guarded_app(settings, classifier)
    server = Server(server_config(app, settings))
    threading.Thread(target=wait_until_up, args=(server, settings), daemon=True).start()
    server.run()
    return 0 if server.started else 1


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except typer.Exit as stop:
        raise SystemExit(stop.exit_code) from None
