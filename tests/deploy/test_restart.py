"""Three processes behind the shipped nginx on one PostgreSQL, under load, while one of them is stopped and started."""

from __future__ import annotations

import os
import re
import shutil
import signal
from pathlib import Path
from time import monotonic

import httpx2 as httpx
import pytest
from sqlalchemy import create_engine, text

from tests.deploy.load import Load
from tests.deploy.servers import Service, nginx, services

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="Debian's nginx is not installed")


def predicted(service: Service) -> float:
    """What this process says that it read and stored."""
    scraped = httpx.get(f"{service.url}/metrics", timeout=30).text
    return sum(float(n) for n in re.findall(r"^refund_router_predictions_total\{.*\} (\S+)$", scraped, re.MULTILINE))


def stored(url: str) -> int:
    engine = create_engine(url)
    with engine.connect() as connection:
        count: int = connection.execute(text("select count(*) from predictions")).scalar_one()
    engine.dispose()
    return count


def test_processes_add_up_and_a_restart_under_load_fails_no_request(
    tmp_path: Path, database_url: str, tiny_folder: Path
) -> None:
    with (
        services(tmp_path, database_url, tiny_folder, 3) as running,
        nginx(tmp_path, [service.port for service in running]) as proxy,
    ):
        with Load(proxy, run="before") as before:
            before.wait_for_more(60)
        parts = [predicted(service) for service in running]
        assert all(parts)
        assert sum(parts) == before.answered == stored(database_url)
        assert httpx.get(f"{proxy}/metrics").status_code == 404

        first = running[0]
        with Load(proxy, run="during") as during:
            during.wait_for_more(20)
            assert first.stop() in (0, -signal.SIGTERM)
            during.wait_for_more(20)
            first.start()
            first.wait_until_ready()
            during.wait_for_more(40)
            until = monotonic() + 60
            while predicted(first) == 0:  # nginx sends to it again some seconds after it found it gone
                assert monotonic() < until
                during.wait_for_more(1)
    assert before.statuses.keys() | during.statuses.keys() == {201}
    assert stored(database_url) == before.answered + during.answered
    assert os.path.getsize(tmp_path / "refund-router.log") > 0
