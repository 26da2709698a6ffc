"""Resident memory of the service while mails come in: it has to stay flat.

python -m tests.benchmarks.memory --mails 100000
"""

# ruff: noqa: T201 — it prints what it finds

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from service.settings import released_model
from tests.benchmarks.load import closed_load
from tests.benchmarks.serving import memory_megabytes, off_core, refund_router

PORT = 18_081


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=100_000)
    parser.add_argument("--model", type=Path, default=released_model())
    given = parser.parse_args()
    off_core()
    step = given.mails / 10
    with tempfile.TemporaryDirectory() as folder, refund_router(Path(folder), given.model, PORT) as (process, _):
        print(f"at the start: {memory_megabytes(process):.0f} MB")
        n_posted, told, part = 0, 0.0, 0
        while n_posted < given.mails:
            part += 1
            outcome = closed_load(PORT, f"part{part}", seconds=2)
            assert outcome.failed == 0, "a post failed"
            n_posted += len(outcome.latencies)
            if n_posted >= told + step:
                told = n_posted
                print(f"after {n_posted} mails: {memory_megabytes(process):.0f} MB", flush=True)


if __name__ == "__main__":
    main()
