"""The dashboard: as its script says, and every panel's query answered by a real Prometheus on a real service."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Thread

import httpx2 as httpx
import pytest
import uvicorn

from model.classifier import Classifier
from service import metrics
from service.app import create_app
from service.settings import Settings
from service.upgrade import upgrade
from tests.deploy.servers import ROOT, answers, free_port, wait_until
from tests.deploy.watchers import PROMETHEUS, prometheus

spec = importlib.util.spec_from_file_location("make_dashboard", ROOT / "deploy" / "grafana" / "make_dashboard.py")
assert spec is not None
assert spec.loader is not None
make_dashboard = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_dashboard)
PANELS = [panel for panel in make_dashboard.dashboard()["panels"] if panel["type"] != "row"]


def test_the_committed_dashboard_is_what_its_script_makes() -> None:
    assert make_dashboard.TARGET.read_text(encoding="utf-8") == make_dashboard.rendered()


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in PANELS:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.fixture
def service_port(tmp_path: Path, released: Classifier) -> Iterator[int]:
    url, port = f"sqlite:///{tmp_path}/router.db", free_port()
    upgrade(url)
    settings = Settings(database_url=url, require_keys=False)
    server = uvicorn.Server(
        uvicorn.Config(create_app(settings, released), port=port, log_level="warning", lifespan="on")
    )
    thread = Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), "the service is not ready")
        yield port
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.skipif(PROMETHEUS is None, reason="Debian's prometheus is not installed")
def test_every_panels_query_returns_data(tmp_path: Path, service_port: int, released: Classifier) -> None:
    mails = [{"text": f"Refund the delivery fee, not the cake. Order {-number}"} for number in range(60)]
    answer = httpx.post(f"http://127.0.0.1:{service_port}/v1/emails/batch", json={"emails": mails}, timeout=60)
    assert answer.status_code == 207, answer.text  # enough of them for a verdict on drift
    address = f"http://127.0.0.1:{service_port}"
    with prometheus(tmp_path, f"127.0.0.1:{service_port}") as watcher, httpx.Client(timeout=20) as client:
        # runs and verdicts have their own tests; here only their series must come through
        metrics.show_suite_run(
            "s", released.version, pass_ratio=1, pair_accuracy=1, passed=True, finished_at=datetime.now(UTC)
        )
        sent = count()
        silent = {target["expr"] for panel in PANELS for target in panel["targets"]}

        def every_query_answered() -> bool:
            """Each query is asked until it answers, and then no more: what remains is what is missing."""
            text = f"Refund the delivery fee, not the cake. Order {next(sent)}"
            client.post(f"{address}/v1/emails", json={"text": text})
            client.post(f"{address}/v1/emails", content=b"x", headers={"content-type": "text/plain"})
            metrics.FEEDBACK.labels("refund_fee", "refund_item").inc()
            silent.difference_update([query for query in silent if answered(client, watcher, query)])
            return not silent

        try:
            wait_until(every_query_answered, "")  # needs two scrapes and two evaluations, four seconds
        except TimeoutError:
            pytest.fail(f"no data: {silent}")


def answered(client: httpx.Client, watcher: str, query: str) -> bool:
    found = client.get(f"{watcher}/api/v1/query", params={"query": query}).json()
    assert found["status"] == "success", (query, found)
    return bool(found["data"]["result"])
