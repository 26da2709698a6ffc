"""What a scrape gets: this process's numbers, or those of all workers where they share a folder.

Best is one target for each process. Where several stand behind one address that Prometheus cannot look behind, give
all of them the same PROMETHEUS_MULTIPROC_DIR, a folder that is empty before the first one starts: each keeps its
numbers in files of that folder, and any of them answers for all (prometheus_client's multiprocess mode).
"""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def render(*collectors: Collector) -> bytes:
    """Prometheus' text format. collectors: read at each scrape, the same from whichever worker answers."""
    scraped = CollectorRegistry()
    for collector in collectors:
        scraped.register(collector)
    if folder := os.environ.get(FOLDER_VARIABLE):
        _forget_dead_workers(Path(folder))
        workers = CollectorRegistry()
        MultiProcessCollector(workers, folder)  # type: ignore[no-untyped-call]  # registers itself
        return generate_latest(workers) + generate_latest(scraped)
    return generate_latest(REGISTRY) + generate_latest(scraped)


def _forget_dead_workers(folder: Path) -> None:
    """Gauges of the living only: a worker that was killed could not take its own away."""
    for process in {int(path.stem.rsplit("_", 1)[1]) for path in folder.glob("gauge_live*_*.db")}:
        if not _alive(process):
            mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
