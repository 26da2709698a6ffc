"""Two processes of the service that keep their numbers in one folder; each answers for both."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import httpx2 as httpx

from service.metrics.exposition import FOLDER_VARIABLE
from service.upgrade import upgrade
from tests.deploy.servers import Service, services


def samples(service: Service, name: str, labels: str = "") -> list[float]:
    """The values of a metric's series, of those whose labels are these where any are given."""
    text = httpx.get(f"{service.url}/metrics", timeout=30).text
    wanted = rf"\{{{labels}\}}" if labels else r"(?:\{.*\})?"
    return [float(value) for value in re.findall(rf"^refund_router_{name}{wanted} (\S+)$", text, re.MULTILINE)]


def test_either_of_two_workers_answers_for_both_and_a_dead_ones_gauges_go(tmp_path: Path, tiny_folder: Path) -> None:
    url, folder = f"sqlite:///{tmp_path}/router.db", tmp_path / "numbers"
    folder.mkdir()
    upgrade(url)
    with services(tmp_path, url, tiny_folder, 2, **{FOLDER_VARIABLE: str(folder)}) as (first, second):
        for service, mails in ((first, 3), (second, 2)):
            for number in range(mails):
                sent = httpx.post(
                    f"{service.url}/v1/emails", json={"text": f"cake {service.port} {number}"}, timeout=30
                )
                assert sent.status_code == 201
        for service in (first, second):
            assert sum(samples(service, "predictions_total")) == 5
            assert samples(service, "build_info") == [1]  # not 2: the largest, not the sum
            assert samples(service, "database_up") == [1]
            assert samples(service, "review_backlog_mails") == [5]  # of the database, so counted once
        pools = samples(first, "database_pool_connections", 'state="max"')
        second.process.send_signal(signal.SIGKILL)
        second.process.wait()
        assert sum(samples(first, "predictions_total")) == 5  # what it counted has happened
        assert samples(first, "database_pool_connections", 'state="max"') == [pools[0] / 2]  # what it held is gone
