"""Means of models' weights: of runs from one start often better than each (Wortsman et al. 2022, model soups)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from model.checkpoint import Card, read_model_folder
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer
from model.weights import Precision, load_network
from training.data import read_split
from training.recipe import Report, made_by, write_measured


def mean_of(shares: dict[Path, float]) -> EmailEncoder:
    """The networks' weights, each by its folder's share of the sum of shares.

    Raises ValueError for no or bad shares and for networks that do not fit together, ModelFolderError for a bad folder.
    """
    total = sum(shares.values())
    if not shares or min(shares.values()) <= 0:
        raise ValueError("a mean is of one model folder or more, each with a share above 0")
    first, *others = shares
    network = load_network(first)
    words = (first / "tokenizer.json").read_bytes()
    mean: dict[str, Tensor] = {name: tensor * (shares[first] / total) for name, tensor in network.state_dict().items()}
    for folder in others:
        other = load_network(folder)
        if other.config != network.config or (folder / "tokenizer.json").read_bytes() != words:
            raise ValueError(f"{folder} has another network or other word pieces than {first}")
        for name, tensor in other.state_dict().items():
            mean[name] = torch.add(mean[name], tensor, alpha=shares[folder] / total)
    network.load_state_dict(mean)
    return network


def write_mean(
    shares: dict[Path, float], version: str, target: Path, precision: Precision, corpus: Path, report: Report
) -> dict[str, Any]:
    """Make a model folder of the mean, its card calibrated and measured on development mails, whose figures return.

    Raises what mean_of raises, and FileExistsError where the target exists.
    """
    network = mean_of(shares)
    cards = {folder: read_model_folder(folder).card for folder in shares}
    first = next(iter(shares))
    parts = [
        {"version": cards[folder].version, "share": share, "details": made_by(cards[folder])}
        for folder, share in shares.items()
    ]
    card = Card(version, languages=cards[first].languages, details={"mean_of": parts})
    tokenizer = MailTokenizer.from_file(first / "tokenizer.json")
    return write_measured(network, tokenizer, card, read_split("development", corpus), target, precision, report)
