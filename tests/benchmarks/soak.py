"""An hour at 70 % of what the machine can do: two processes behind nginx on one PostgreSQL, one restarted on the way.

    python -m tests.benchmarks.soak [--minutes 60] [--load 0.7] [--model model/released] [--json soak.json]

The rate is measured first, with callers that never pause. Exit code 1 where a request failed, where a mail that was
answered has no row, or, from JUDGED_MINUTES on, where the memory of the process that runs throughout is still growing:
the median of the last quarter over that of the second is more than GROWTH. A shorter run cannot tell growth from
warming up.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from service.settings import Settings
from service.upgrade import upgrade
from tests.deploy.load import Load
from tests.deploy.servers import Service, nginx, services
from tests.postgres import postgres

CALIBRATION_SHARE, CALIBRATION_SECONDS = 0.1, 60.0  # of the time, at most so long
SAMPLES = 120
GROWTH, JUDGED_MINUTES = 1.05, 30.0
PROCESSES, CALLERS = 2, 8


def resident_bytes(service: Service) -> int:
    status = Path(f"/proc/{service.process.pid}/status").read_text(encoding="utf-8")
    return 1_024 * int(status.split("VmRSS:")[1].split()[0])


def saturate(proxy: str, seconds: float) -> float:
    """Mails a second with callers that never pause."""
    with Load(proxy, threads=CALLERS, run="warm") as load:
        load.wait_for_more(64)
        before, started = load.answered, time.monotonic()
        time.sleep(seconds)
        return (load.answered - before) / (time.monotonic() - started)


def soak(proxy: str, running: list[Service], seconds: float, rate: float) -> tuple[Load, list[int]]:
    """The load at this rate; at half of the time the last process gets SIGTERM and is started again."""
    memory: list[int] = []
    with Load(proxy, threads=CALLERS, mails_per_second=rate, run="soak") as load:
        begun = time.monotonic()
        for number in range(SAMPLES):
            time.sleep(max(0.0, begun + seconds * (number + 1) / SAMPLES - time.monotonic()))
            memory.append(resident_bytes(running[0]))
            if number == SAMPLES // 2:
                running[-1].stop()
                running[-1].start()
            sys.stderr.write(
                f"\r{(number + 1) / SAMPLES:4.0%}  {load.answered} mails, {memory[-1] / 1e6:.0f} MB, "
                f"failed {load.answered - load.statuses[201]}   "
            )
        sys.stderr.write("\n")
    return load, memory


def rows(url: str) -> int:
    engine = create_engine(url)
    with engine.connect() as connection:
        count: int = connection.execute(
            text("select count(*) from emails where message_id like '<soak.%'")
        ).scalar_one()
    engine.dispose()
    return count


def report(
    load: Load, memory: list[int], *, minutes: float, capacity: float, rate: float, stored: int
) -> dict[str, Any]:
    quarter = len(memory) // 4
    cuts = statistics.quantiles(load.seconds, n=100)
    return {
        "minutes": minutes,
        "saturated_mails_per_second": round(capacity, 2),
        "rate_mails_per_second": round(rate, 2),
        "answers_by_status": dict(load.statuses),
        "rows_stored": stored,
        "seconds_p50": round(cuts[49], 4),
        "seconds_p99": round(cuts[98], 4),
        "memory_bytes_first": memory[0],
        "memory_bytes_last": memory[-1],
        "memory_growth": round(
            statistics.median(memory[-quarter:]) / statistics.median(memory[quarter : 2 * quarter]), 4
        ),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long the load lasts")
    parser.add_argument("--load", type=float, default=0.7, help="share of the measured rate")
    parser.add_argument("--model", type=Path, default=Path("model/released"), help="model folder")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with postgres() as server:
            url = Settings(database_url=server.get_uri()).database_url
            upgrade(url)
            with (
                services(folder, url, asked.model.absolute(), PROCESSES) as running,
                nginx(folder, [service.port for service in running]) as proxy,
            ):
                capacity = saturate(proxy, min(CALIBRATION_SECONDS, 60 * asked.minutes * CALIBRATION_SHARE))
                load, memory = soak(proxy, running, 60 * asked.minutes, asked.load * capacity)
            found = report(
                load,
                memory,
                minutes=asked.minutes,
                capacity=capacity,
                rate=asked.load * capacity,
                stored=rows(url),
            )
    lines = json.dumps(found, indent=2)
    print(lines)  # noqa: T201 — its output
    if asked.json:
        asked.json.write_text(lines + "\n", encoding="utf-8")
    whole = set(found["answers_by_status"]) == {201} and found["rows_stored"] == load.answered
    flat = found["memory_growth"] <= GROWTH or asked.minutes < JUDGED_MINUTES
    return 0 if whole and flat else 1


if __name__ == "__main__":
    sys.exit(main())
