"""What a mail costs: processor time by model and stage, bytes on disk, and both on a database that holds many.

    python -m tests.benchmarks.capacity [--mails 512] [--rows 100000] [--postgres]

Processor time, not the clock's, so that a busy machine does not show. Mails are read and stored in batches of 32, as
under load, on one thread. Bytes are the growth of the database over the second half of the mails, without what an empty
database has. "Full" is the same after --rows made-up mails; what counts there is the ratio.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import Engine, text

from model.classifier import Classifier
from service.database import make_engine, make_sessions
from service.intake.compose import Intake
from service.reading import Job, Reader
from service.schemas.emails import EmailIn
from service.settings import Settings
from service.upgrade import upgrade
from tests.benchmarks.list_pages import fill
from tests.postgres import postgres

MODELS = ("model/small", "model/released")
BATCH = 32
TEXT = (
    "Hello, please refund the delivery fee and not the cake of order {number}. It came an hour late, the driver was "
    "rude about it, and nobody answered when I rang the shop to ask. I would like the money back on my card."
)


def jobs(first: int) -> list[Job]:
    mails = []
    for number in range(first, first + BATCH):
        words = TEXT.format(number=number)
        mail = EmailIn.model_validate(
            {"message_id": f"<{number}@bench.example>", "from": f"c{number % 977}@bench.example", "text": words}
        )
        mails.append(Job(Intake(words), mail))
    return mails


class Meter:
    """One model on one database; each call stores mails that are new."""

    def __init__(self, engine: Engine, model: str) -> None:
        self._reader = Reader(Classifier(Path(model), threads=1), make_sessions(engine), auto_threshold=0.9)

    def seconds_per_mail(self, first: int, mails: int) -> float:
        """Of this process; PostgreSQL's own time is its server's."""
        started = time.process_time()
        for start in range(first, first + mails, BATCH):
            for result in self._reader.process(jobs(start)):
                if isinstance(result, Exception):
                    raise result
        return (time.process_time() - started) / mails


@contextmanager
def database(on_postgres: bool) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        address = stack.enter_context(postgres()).get_uri() if on_postgres else f"sqlite:///{folder}/bench.db"
        url = Settings(database_url=address).database_url
        upgrade(url)
        engine = make_engine(url, timeout_seconds=60)
        try:
            yield engine
        finally:
            engine.dispose()


def database_bytes(engine: Engine) -> int:
    sizes = {
        "sqlite": "select page_count * page_size from pragma_page_count(), pragma_page_size()",
        "postgresql": "select pg_database_size(current_database())",
    }
    with engine.connect() as connection:
        size: int = connection.execute(text(sizes[engine.dialect.name])).scalar_one()
    return size


def measure(engine: Engine, mails: int, rows: int) -> list[str]:
    small, released = (Meter(engine, model) for model in MODELS)
    small.seconds_per_mail(0, BATCH)  # warm
    lines, first = [], BATCH
    for model, meter in zip(MODELS, (small, released), strict=True):
        seconds = meter.seconds_per_mail(first, mails)
        first += mails
        lines.append(f"{model}: {seconds * 1e3:.2f} ms of a core a mail, {1 / seconds:.0f} mails a second and core")
    before = database_bytes(engine)
    empty = small.seconds_per_mail(first, mails)
    bytes_per_mail = (database_bytes(engine) - before) / mails
    lines.append(f"{engine.dialect.name}: {bytes_per_mail:.0f} bytes a mail of {len(TEXT)} characters")
    fill(engine, rows)
    full = small.seconds_per_mail(first + mails, mails)
    lines.append(f"reading and storing after {rows:,} more mails over before: {full / empty:.2f}x (model/small)")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mails", type=int, default=512, help="in each measurement; a multiple of 32")
    parser.add_argument("--rows", type=int, default=100_000, help="made-up mails of the full database")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own, not on SQLite")
    asked = parser.parse_args()
    if asked.mails % BATCH or asked.mails < 1:
        parser.error(f"--mails {asked.mails} is not a multiple of {BATCH}")
    with database(asked.postgres) as engine:
        sys.stdout.write("\n".join(measure(engine, asked.mails, asked.rows)) + "\n")


if __name__ == "__main__":
    main()
