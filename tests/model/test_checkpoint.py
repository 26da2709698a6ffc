from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from model.checkpoint import PAYLOAD_FILES, Card, ModelFolderError, write_manifest
from model.classifier import Classifier
from model.weights import load_network
from tests.tiny import tiny_network, tiny_tokenizer
from training.export import export

CARD = '{"version": "v", "temperature": 1.0, "thresholds": {}, "languages": [], "details": {}}'


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "model"))


@pytest.mark.parametrize("name", [*PAYLOAD_FILES, "config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelFolderError, match=f"{name}: is missing"):
        Classifier(folder)


@pytest.mark.parametrize("name", PAYLOAD_FILES)
def test_a_truncated_file_is_named(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelFolderError, match=f"{name}: is not the file that config.json names"):
        Classifier(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tokenizer.json", "{}", "tokenizer.json: is not a tokenizer"),
        ("model.onnx", "no graph", "model.onnx: does not load"),
        ("card.json", '{"version": 1}', "card.json: field 'temperature' is missing"),
        ("card.json", "[]", "card.json: is not a JSON object"),
        ("card.json", CARD.replace("1.0", "0.0"), "temperature 0.0 is not between 0.25 and 6.0"),
        ("card.json", CARD.replace("1.0", "NaN"), "temperature nan is not between"),
        ("card.json", CARD.replace("{}", '{}, "length_exponent": 0.6', 1), "length_exponent 0.6 is not between"),
        ("card.json", CARD.replace("{}", '{}, "length_exponent": NaN', 1), "length_exponent nan is not between"),
        ("card.json", CARD.replace("{}", '{"other": 0.0}', 1), "threshold 0.0 of 'other' is not between 0.5 and 1.01"),
        ("card.json", CARD.replace("{}", '{"other": NaN}', 1), "threshold nan of 'other' is not between"),
        ("card.json", CARD.replace("[]", '["English"]'), "language 'English' is no ISO 639-1 code"),
        ("card.json", CARD.replace('"v"', f'"{"v" * 57}"'), "is not of 1 to 56"),
    ],
)
def test_a_foreign_file_with_a_fitting_checksum_is_still_named(
    folder: Path, name: str, content: str, message: str
) -> None:
    config = Classifier(folder).config
    (folder / name).write_text(content)
    write_manifest(folder, config)
    with pytest.raises(ModelFolderError, match=message):
        Classifier(folder)


def test_foreign_weights_are_refused_by_torch_with_the_tensor_named(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    export(tiny_network(n_layers=1), tiny_tokenizer().to_json(), Card("o"), other, "float32")
    config = Classifier(folder).config
    shutil.copy(other / "weights.safetensors", folder)
    write_manifest(folder, config)
    with pytest.raises(ModelFolderError, match=r"blocks\.1\.attention"):
        load_network(folder)


def test_a_manifest_of_another_format_or_shape_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text("[" * 100_000)
    with pytest.raises(ModelFolderError, match="config.json: is not readable JSON"):
        Classifier(folder)
    (folder / "config.json").write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(ModelFolderError, match="format 99 is not 1"):
        Classifier(folder)
    manifest["network"]["d_modle"] = 3
    (folder / "config.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelFolderError, match="unknown field 'd_modle'"):
        Classifier(folder)


def test_a_folder_is_never_overwritten(tiny_folder: Path) -> None:
    with pytest.raises(FileExistsError, match="never overwritten"):
        export(tiny_network(), tiny_tokenizer().to_json(), Card("x"), tiny_folder, "float32")


def test_a_graph_of_another_shape_is_refused_at_the_start(folder: Path) -> None:
    config = Classifier(folder).config
    write_manifest(folder, replace(config, roles=("none", "refund")))
    with pytest.raises(ModelFolderError, match=r"model\.onnx: does not fit config\.json"):
        Classifier(folder)
    write_manifest(folder, replace(config, labels=("a", "b")))
    with pytest.raises(ModelFolderError, match="labels are a, b"):
        Classifier(folder)
