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
from pathlib import Path

import typer
import uvicorn
from rich.console import Console
from rich.table import Table

from service.app import create_app
from service.cli.terminal import prepare

SAMPLES = Path(__file__).parent / "samples.jsonl"
out = Console(highlight=False)


def send_samples(address: str) -> None:
    """Post each sample; on a second run they are known by their message ids and not stored again."""
    table = Table("label", "confidence", "decision", "words")
    for line in SAMPLES.read_text(encoding="utf-8").splitlines():
        request = urllib.request.Request(f"{address}/v1/emails", line.encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = json.load(response)
        words = " ".join(answer["text"].split())
        table.add_row(answer["label"], f"{answer['confidence']:.3f}", answer["decision"], words[:90])
    out.print(table)
    out.print(f"console: {address}/   (Ctrl-C stops the service)")


def wait_until_up(server: uvicorn.Server) -> None:
    while not server.started:
        if server.should_exit:
            raise SystemExit(1)
        time.sleep(0.02)
    send_samples(f"http://{server.config.host}:{server.servers[0].sockets[0].getsockname()[1]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    settings, classifier = prepare(port=parser.parse_args().port)
    with socket.socket() as probe:
        if settings.port and probe.connect_ex((settings.host, settings.port)) == 0:
            sys.stderr.write(f"port {settings.port} is taken; try: make run PORT={settings.port + 1}\n")
            return 2
    app = create_app(settings, classifier)
    server = uvicorn.Server(uvicorn.Config(app, settings.host, settings.port, log_level="warning", lifespan="on"))
    threading.Thread(target=wait_until_up, args=(server,), daemon=True).start()
    server.run()
    return 0 if server.started else 1


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except typer.Exit as stop:
        raise SystemExit(stop.exit_code) from None
