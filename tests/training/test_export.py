from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from model.checkpoint import read_model_folder
from model.classifier import Classifier
from training.cli import app


def test_a_folder_is_written_again_at_another_precision_and_reads_the_same(tiny_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "again"
    done = CliRunner().invoke(app, ["export", "--model", str(tiny_folder), "--output", str(target)])
    assert done.exit_code == 0, done.output
    card = read_model_folder(target).card
    assert (card.version, card.details["exported_again_at"]) == ("tiny-int8", "int8")
    smaller, larger = ((place / "weights.safetensors").stat().st_size for place in (target, tiny_folder))
    assert smaller < 0.5 * larger
    texts = ["refund the delivery fee not the cake", "refund the cake not the delivery fee"]
    before, after = (Classifier(place).predict_proba(texts) for place in (tiny_folder, target))
    assert abs(before - after).max() < 0.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--precision", "int4"], "--precision int4 is unknown"),
        (["--output", "model"], "model exists; a model folder is never overwritten"),
        (["--model", "nowhere"], "nowhere: is not a folder"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, change: list[str], message: str
) -> None:
    monkeypatch.chdir(tiny_folder.parent)
    done = CliRunner().invoke(app, ["export", "--model", tiny_folder.name, "--output", "again", *change])
    assert (done.exit_code, message in done.output) == (2, True), done.output
    assert not Path("again").exists()
