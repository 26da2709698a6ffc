"""What meeting in a batch is worth: mails a second stored in batches of 16 over mails stored one by one.

    python -m tests.benchmarks.group_commit

Both are measured in turns in one run, on the same model and on SQLite with synchronous FULL.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from time import perf_counter

from model.classifier import Classifier
from service.database import make_engine, make_sessions
from service.intake.compose import Intake
from service.reading import Job, Reader
from service.schemas.emails import EmailIn
from service.settings import released_model
from service.upgrade import upgrade

MAILS, ROUNDS = 64, 5
TEXT = "Refund the delivery fee, not the cake. It came an hour late and the driver was rude about it."


def rate(reader: Reader, batch: int) -> float:
    """Mails a second."""
    job = Job(Intake(TEXT), EmailIn(text=TEXT))
    started = perf_counter()
    for _ in range(MAILS // batch):
        reader.process([job] * batch)
    return MAILS / (perf_counter() - started)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder)}/bench.db"
        upgrade(url)
        engine = make_engine(url, timeout_seconds=10)
        reader = Reader(Classifier(released_model()), make_sessions(engine), auto_threshold=0.9)
        ratios = [rate(reader, 16) / rate(reader, 1) for _ in range(ROUNDS)]
        engine.dispose()
    print(f"batches of 16 over single mails: {statistics.median(ratios):.2f}x (of {ROUNDS} rounds)")  # noqa: T201 — its output


if __name__ == "__main__":
    main()
