"""A tiny real model, made once a run: its vocabulary and network are built in the process."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from model.checkpoint import Card
from model.classifier import Classifier
from tests.tiny import tiny_network, tiny_tokenizer
from training.export import export

torch.set_num_threads(1)  # the workers share two cores; more threads than cores wait for each other


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("tiny") / "model"
    export(tiny_network(), tiny_tokenizer().to_json(), Card("tiny"), target, "float32")
    return target


@pytest.fixture(scope="session")
def tiny_classifier(tiny_folder: Path) -> Classifier:
    return Classifier(tiny_folder)


@pytest.fixture(scope="session")
def released() -> Classifier:
    from service.settings import released_model

    return Classifier(released_model())
