"""From a number that is wrong to the message in the chat: the real Prometheus and Alertmanager as they are shipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2 as httpx
import pytest

from tests.deploy.servers import wait_until
from tests.deploy.watchers import ALERTMANAGER, PROMETHEUS, alertmanager, prometheus

pytestmark = pytest.mark.skipif(
    PROMETHEUS is None or ALERTMANAGER is None,
    reason="Debian's prometheus and its Alertmanager are not installed",
)


class Surroundings(ThreadingHTTPServer):
    """The service, whose numbers the test sets, and the chat, whose messages it reads."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"127.0.0.1:{self.server_port}"
        self.numbers: dict[str, float] = {}  # name without refund_router_
        self.messages: list[dict[str, Any]] = []

    def told(self) -> list[tuple[str, str, str]]:
        """Channel, title and colour of each message; red says that it fires, green that it is over."""
        shown = [(message["channel"], message["attachments"][0]) for message in self.messages]
        return [(channel, attachment["title"], attachment["color"]) for channel, attachment in shown]


class _Handler(BaseHTTPRequestHandler):
    server: Surroundings

    def do_GET(self) -> None:
        self._answer("".join(f"refund_router_{name} {value}\n" for name, value in self.server.numbers.items()))

    def do_POST(self) -> None:
        self.server.messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer("ok")

    def _answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """The test says what it finds."""


@pytest.fixture
def surroundings() -> Iterator[Surroundings]:
    with Surroundings() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_an_alert_arrives_in_its_channel_holds_back_what_follows_from_it_and_is_taken_back(
    tmp_path: Path, surroundings: Surroundings
) -> None:
    page = ("#refund-router-pages", "RefundRouterDatabaseUnreachable")
    ticket = ("#refund-router-tickets", "RefundRouterConfidenceFall")
    distance, errors = 'drift_distance{signal="confidence"}', 'http_requests_total{route="/v1/emails",status="503"}'
    numbers = surroundings.numbers
    numbers |= {"database_up": 0, distance: 0.4, 'drift_threshold{signal="confidence"}': 0.1, errors: 0}
    with (
        alertmanager(tmp_path, f"http://{surroundings.address}/chat") as port,
        prometheus(tmp_path, surroundings.address, port),
    ):

        def held_back() -> set[str]:
            alerts = httpx.get(f"http://127.0.0.1:{port}/api/v2/alerts").json()
            return {alert["labels"]["alertname"] for alert in alerts if alert["status"]["inhibitedBy"]}

        wait_until(lambda: len(surroundings.messages) >= 2, "nobody was told")
        numbers[errors] = 1_000
        wait_until(lambda: "RefundRouterErrorBudgetBurnsFast" in held_back(), "nothing was held back")
        assert set(surroundings.told()) == {(*page, "danger"), (*ticket, "danger")}
        for message in surroundings.messages:
            shown = message["attachments"][0]
            assert f"docs/runbooks.md#{shown['title'].lower()}" in shown["text"]

        numbers |= {"database_up": 1, distance: 0}
        wait_until(lambda: {(*page, "good"), (*ticket, "good")} <= set(surroundings.told()), "nothing was taken back")
