"""The folder of the model that serves is written over, and then deleted, under a running service."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from model.checkpoint import PAYLOAD_FILES
from tests.service.faults.process import get, post, running


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_model_folder_that_is_written_over_or_deleted_changes_no_answer(
    database_url: str, tiny_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder, folder)
    words = "refund the fee, not the cake"
    with running(database_url, folder) as service:
        _, first = post(service.port, text=words)
        for name in ("config.json", *PAYLOAD_FILES):
            (folder / name).write_bytes(b"\0" * 10)  # in place, as a careless copy does
        _, written_over = post(service.port, text=words)
        shutil.rmtree(folder)
        _, deleted = post(service.port, text=words)
        assert get(service.port, "/readyz")[0] == 200
    for answer in (written_over, deleted):
        assert [answer[name] for name in ("probabilities", "spans", "model_version")] == [
            first[name] for name in ("probabilities", "spans", "model_version")
        ]
