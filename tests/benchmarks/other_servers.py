"""The service against the same model behind LitServe and BentoML, with a durable row for each mail; one core each.

    pip install litserve bentoml        # into an environment of their own: they are no dependency of this project
    python -m tests.benchmarks.other_servers --seconds 10

They take turns in one run: throughput with 32 connections that never rest, then the 99th percentile of both at the same
load, four fifths of what the slower one can do.
"""

# ruff: noqa: T201 — it prints what it finds

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.benchmarks.load import Outcome, closed_load, open_load
from tests.benchmarks.service_speed import MODELS
from tests.benchmarks.serving import off_core, refund_router, server

PORT, RIVAL_PORT = 18_082, 18_083
WAYS: dict[str, dict[str, Any]] = {
    "litserve": {"path": "/predict", "ready": "/health", "wrap": dict},
    "bentoml": {"path": "/classify", "ready": "/readyz", "wrap": lambda mail: {"mails": [mail]}},
}


@contextmanager
def rival(name: str, folder: Path, model: Path) -> Iterator[None]:
    settings = {"BENCH_MODEL": str(model), "BENCH_DATABASE": str(folder / f"{name}.db")}
    command = ["-m", "tests.benchmarks.rivals", name, str(RIVAL_PORT)]
    with server(command, RIVAL_PORT, WAYS[name]["ready"], **settings):
        yield


def checked(outcome: Outcome) -> Outcome:
    assert outcome.failed == 0, f"{outcome.failed} posts failed"
    return outcome


def measure(name: str, size: str, seconds: float, rounds: int) -> None:
    path, wrap = WAYS[name]["path"], WAYS[name]["wrap"]
    faster, tails = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        refund_router(Path(folder), MODELS[size], PORT),
        rival(name, Path(folder), MODELS[size]),
    ):
        closed_load(PORT, "warm", seconds=1)
        closed_load(RIVAL_PORT, "warm", seconds=1, path=path, wrap=wrap)
        for number in range(rounds):
            ours = checked(closed_load(PORT, f"full{number}", seconds=seconds))
            theirs = checked(closed_load(RIVAL_PORT, f"full{number}", seconds=seconds, path=path, wrap=wrap))
            rate = min(ours.rate, theirs.rate) * 0.8
            our_tail = checked(open_load(PORT, f"equal{number}", seconds=seconds, rate=rate)).percentile(99)
            their_load = open_load(RIVAL_PORT, f"equal{number}", seconds=seconds, rate=rate, path=path, wrap=wrap)
            their_tail = checked(their_load).percentile(99)
            faster.append(ours.rate / theirs.rate)
            tails.append(our_tail / their_tail)
            print(
                f"{size}: ours {ours.rate:.1f} mails/s, {name} {theirs.rate:.1f}; at {rate:.1f} mails/s p99 "
                f"{our_tail * 1e3:.1f} ms and {their_tail * 1e3:.1f} ms",
                flush=True,
            )
    print(
        f"{size}: throughput over {name} {statistics.median(faster):.2f}; p99 at equal load over {name}'s "
        f"{statistics.median(tails):.2f} (medians of {rounds} rounds)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", choices=sorted(MODELS), default="small")
    parser.add_argument("--against", choices=sorted(WAYS), action="append", help="all that are installed by default")
    given = parser.parse_args()
    off_core()
    for name in given.against or [name for name in sorted(WAYS) if find_spec(name) is not None]:
        measure(name, given.model, given.seconds, given.rounds)


if __name__ == "__main__":
    main()
