"""A service with one suite, which its model passes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from model.classifier import Classifier
from service.app import create_app
from service.settings import Settings
from tests.service.easy_suite import write_suite


@pytest.fixture
def suite(tmp_path: Path, tiny_classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write_suite(tmp_path / "easy.yaml", tiny_classifier)
    monkeypatch.setattr(Settings, "suite_files", lambda _: [path])
    return path


@pytest.fixture
def settings(database_url: str, tiny_folder: Path, tmp_path: Path, suite: Path) -> Settings:
    assert suite.exists()
    return Settings(
        database_url=database_url,
        model_folder=tiny_folder,
        models_folder=tmp_path / "models",
        model_poll_seconds=0.05,
        require_keys=False,
    )


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client
