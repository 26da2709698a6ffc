from __future__ import annotations

from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from model.checkpoint import Card, ModelFolderError, read_model_folder
from model.weights import load_network
from tests.tiny import tiny_corpus, tiny_network, tiny_tokenizer
from training.cli import app
from training.export import export
from training.mean import mean_of


def folder_of(place: Path, *, seed: int, n_layers: int = 2) -> Path:
    network = tiny_network(seed=seed, n_layers=n_layers)
    card = Card(place.name, languages=("en",), details={"recipe": {"seed": seed}})
    export(network, tiny_tokenizer().to_json(), card, place, "float32")
    return place


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return tiny_corpus(tmp_path / "corpus", {"ann": "development"})


def test_weights_are_meant_by_their_shares(tmp_path: Path) -> None:
    first, second = (folder_of(tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 2)))
    mean = mean_of({first: 3.0, second: 1.0}).state_dict()
    ours, others = load_network(first).state_dict(), load_network(second).state_dict()
    for name, tensor in mean.items():
        torch.testing.assert_close(tensor, 0.75 * ours[name] + 0.25 * others[name])
    assert not torch.equal(mean["role_head.weight"], ours["role_head.weight"])


def test_networks_that_do_not_fit_and_bad_shares_are_refused(tmp_path: Path) -> None:
    first, deeper = folder_of(tmp_path / "a", seed=1), folder_of(tmp_path / "b", seed=1, n_layers=1)
    with pytest.raises(ValueError, match="b has another network"):
        mean_of({first: 1.0, deeper: 1.0})
    for shares in ({}, {first: 0.0}, {first: -1.0}):
        with pytest.raises(ValueError, match="share above 0"):
            mean_of(shares)
    with pytest.raises(ModelFolderError, match="is not a folder"):
        mean_of({tmp_path / "nowhere": 1.0})


def test_the_command_makes_a_measured_folder_that_says_what_it_is_of(tmp_path: Path, corpus: Path) -> None:
    parts = [f"{folder_of(tmp_path / 'a', seed=1)}:0.25", str(folder_of(tmp_path / "b", seed=2))]
    target = tmp_path / "mean"
    asked = ["mean", *parts, "--output", str(target), "--version", "ab", "--corpus", str(corpus)]
    asked += ["--precision", "float32"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    card = read_model_folder(target).card
    assert [(part["version"], part["share"]) for part in card.details["mean_of"]] == [("a", 0.25), ("b", 1.0)]
    assert card.details["mean_of"][0]["details"]["recipe"] == {"seed": 1}
    assert card.details["labels_changed_by_precision"] == {"mails": 4, "changed": 0}
    assert card.details["development_in_sample"]["label"]["mails"] == 4

    again = CliRunner().invoke(app, asked)
    assert (again.exit_code, "never overwritten" in again.output) == (2, True)


@pytest.mark.parametrize(
    ("part", "message"),
    [("a:much", "'much' is no share"), ("a:0", "share above 0"), ("a", "is not a folder")],
)
def test_bad_parts_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["mean", part, "--output", "m", "--version", "m"])
    assert (done.exit_code, message in done.output) == (2, True), done.output
    assert not (tmp_path / "m").exists()
