"""The released model, broken in twelve ways that have broken real ones. Each answers as a Classifier does."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor

from model.checks.baseline import compare, from_run
from model.checks.results import RunResult
from model.classifier import Classifier
from model.network import EmailEncoder
from model.positions import rotary
from model.tokenizer import MailTokenizer, Tokens
from model.weights import load_network

ROOT = Path(__file__).parents[3]
RELEASED, SMALL = ROOT / "model" / "released", ROOT / "model" / "small"
OLD_COMMIT = "72dc5c0"  # where the first model, 2026.11.1, was released
DEAD_HEAD = 0
CONSTANT_POSITION = 7
SHORT = 16  # tokens

Feed = dict[str, Any]


class Fed:
    """The ONNX session with its inputs changed on the way in."""

    def __init__(self, classifier: Classifier, change: Callable[[Feed], Feed]) -> None:
        self._session, self._change = classifier._session, change

    def run(self, names: list[str], feed: Feed) -> Any:
        return self._session.run(names, self._change(feed))


class Torch:
    """The torch network in the session's place; it gives the session's outputs to within rounding."""

    def __init__(self, network: EmailEncoder) -> None:
        self.network = network.eval()

    def run(self, _: list[str], feed: Feed) -> Any:
        with torch.inference_mode():
            out = self.network(*(torch.from_numpy(feed[k]) for k in ("token_ids", "position_ids", "padding_mask")))
        return [out.label_logits.numpy(), out.pool_logsumexp.numpy(), out.role_logits.numpy()]


def _fed(change: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Classifier:
    """position_ids and padding_mask (rows, tokens) → other position_ids."""
    classifier = Classifier(RELEASED)

    def changed(feed: Feed) -> Feed:
        return {**feed, "position_ids": change(feed["position_ids"], feed["padding_mask"])}

    classifier._session = Fed(classifier, changed)
    return classifier


def _torch(change: Callable[[EmailEncoder], None]) -> Classifier:
    classifier, network = Classifier(RELEASED), load_network(RELEASED)
    with torch.no_grad():
        change(network)
    classifier._session = Torch(network)
    return classifier


def positions_off() -> Classifier:
    return _fed(lambda ids, _: np.zeros_like(ids))


def positions_constant() -> Classifier:
    return _fed(lambda ids, _: np.full_like(ids, CONSTANT_POSITION))


def reversed_positions() -> Classifier:
    """Each row counts down from its own last token."""
    return _fed(lambda ids, mask: np.maximum(mask.sum(axis=1, keepdims=True) - 1 - ids, 0))


def rope_on_queries_only() -> Classifier:
    def change(network: EmailEncoder) -> None:
        for block in network.blocks:
            attention: Any = block.attention
            whole = attention.project

            def project(x: Tensor, rotation: Any, whole: Any = whole) -> tuple[Tensor, Tensor, Tensor]:
                q, k, v = whole(x, None)
                return (rotary(q, *rotation) if rotation is not None else q), k, v

            attention.project = project

    return _torch(change)


def one_head_dead() -> Classifier:
    """The same head of every block adds nothing."""

    def change(network: EmailEncoder) -> None:
        for block in network.blocks:
            attention: Any = block.attention
            width = attention.head_dim
            attention.proj.weight[:, DEAD_HEAD * width : (DEAD_HEAD + 1) * width] = 0.0

    return _torch(change)


def shuffled_embedding() -> Classifier:
    """Each word has another word's row; the special tokens keep theirs."""

    def change(network: EmailEncoder) -> None:
        tokenizer = MailTokenizer.from_file(RELEASED / "tokenizer.json")
        special = {tokenizer.pad_id, tokenizer.unknown_id, tokenizer.cls_id, tokenizer.sep_id}
        words = torch.tensor([row for row in range(network.config.vocab_size) if row not in special])
        order = words[torch.randperm(len(words), generator=torch.Generator().manual_seed(0))]
        network.embed.weight[words] = network.embed.weight[order].clone()

    return _torch(change)


def int8_overflow() -> Classifier:
    """Rows scaled by four fifths of what they need: the largest weights wrap round to the other sign."""

    def change(network: EmailEncoder) -> None:
        for parameter in network.parameters():
            if parameter.ndim < 2:
                continue
            scale = parameter.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) * 0.8 / 127.0
            wrapped = ((parameter / scale).round().long() + 128) % 256 - 128
            parameter.copy_(wrapped * scale)

    return _torch(change)


def pooling_over_padding() -> Classifier:
    def change(network: EmailEncoder) -> None:
        head: Any = network.label_head
        whole = head.forward
        head.forward = lambda x, mask: whole(x, torch.ones_like(mask))

    return _torch(change)


def wrong_tokenizer() -> Classifier:
    """The small model's vocabulary: other numbers for the same words."""
    classifier = Classifier(RELEASED)
    classifier.tokenizer = MailTokenizer.from_file(SMALL / "tokenizer.json")
    assert classifier.tokenizer.vocab_size <= classifier.config.vocab_size
    return classifier


def labels_permuted() -> Classifier:
    """Each label has its neighbour's name."""
    classifier = Classifier(RELEASED)
    labels = classifier.config.labels
    classifier.config = replace(classifier.config, labels=(*labels[1:], labels[0]))
    return classifier


def truncated() -> Classifier:
    classifier = Classifier(RELEASED)
    whole = classifier.tokenizer.encode

    def encode(texts: list[str]) -> list[Tokens]:
        return [replace(tokens, ids=tokens.ids[:SHORT], offsets=tokens.offsets[:SHORT]) for tokens in whole(texts)]

    classifier.tokenizer.encode = encode  # type: ignore[method-assign]
    return classifier


def has_history() -> bool:
    """Whether the old checkpoint can be had: not in a shallow clone, and not without git."""
    try:
        command = ["git", "cat-file", "-e", f"{OLD_COMMIT}:model/released"]
        return subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 0
    except OSError:
        return False


@contextmanager
def _old_folder() -> Iterator[Path]:
    """Out of the repository's history; CalledProcessError where the clone has none."""
    command = ["git", "archive", OLD_COMMIT, "model/released"]
    archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder) / "model" / "released"


def old_checkpoint() -> Classifier:
    with _old_folder() as folder:
        return Classifier(folder)


MUTATIONS: dict[str, Callable[[], Classifier]] = {
    "positions off": positions_off,
    "positions constant": positions_constant,
    "RoPE on queries only": rope_on_queries_only,
    "reversed positions": reversed_positions,
    "one head dead": one_head_dead,
    "shuffled embedding rows": shuffled_embedding,
    "wrong tokenizer": wrong_tokenizer,
    "labels permuted": labels_permuted,
    "int8 overflow": int8_overflow,
    "pooling over padding": pooling_over_padding,
    "an old checkpoint": old_checkpoint,
    "truncation at 16 tokens": truncated,
}


def catches(run: RunResult, whole: RunResult) -> bool:
    """Whether the suite tells the broken model from the whole one: it fails where the whole one passes, or so does a
    critical case, or a group or the whole suite fell by more than chance."""
    failed = {result.case.id for result in run.failed_critical} - {result.case.id for result in whole.failed_critical}
    return (whole.passed and not run.passed) or bool(failed) or bool(compare(run, from_run(whole)).falls)
