from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.settings import Settings
from service.upgrade import upgrade
from tests.postgres import postgres


@pytest.fixture
def database_url() -> Iterator[str]:
    """Of a PostgreSQL that the test has for itself, brought up to date."""
    with postgres() as server:
        url = Settings(database_url=server.get_uri()).database_url
        upgrade(url)
        yield url
