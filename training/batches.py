"""Mails to padded tensors, batches of alike length.

Axes: B mails, T tokens.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.config import ModelConfig
from model.tokenizer import MailTokenizer
from training.data import Mail

IGNORED = -100  # a target that cross_entropy passes over: padding, [CLS], [SEP]


@dataclass(frozen=True)
class Batch:
    """One step's input and targets."""

    token_ids: Tensor  # (B, T)
    position_ids: Tensor  # (B, T)
    padding_mask: Tensor  # (B, T)
    labels: Tensor  # (B,)
    roles: Tensor  # (B, T)


@dataclass(frozen=True)
class Example:
    """One mail as numbers, [CLS] and [SEP] included."""

    token_ids: list[int]
    roles: list[int]
    label: int


def encode(mails: list[Mail], tokenizer: MailTokenizer, config: ModelConfig) -> list[Example]:
    """A token has a role where its middle lies in the span. Mail past max_len is cut, as the rest adds little."""
    examples = []
    for mail, tokens in zip(mails, tokenizer.encode([mail.text for mail in mails]), strict=True):
        middles = tokens.offsets.mean(axis=1) if len(tokens.ids) else np.zeros(0)
        roles = np.zeros(len(tokens.ids), dtype=np.int64)
        for span in mail.spans:
            roles[(middles >= span.start) & (middles < span.end)] = config.roles.index(span.role)
        kept = config.max_len - 2
        token_ids = [tokenizer.cls_id, *tokens.ids[:kept].tolist(), tokenizer.sep_id]
        examples.append(Example(token_ids, [IGNORED, *roles[:kept].tolist(), IGNORED], config.labels.index(mail.label)))
    return examples


def collate(examples: list[Example], pad_id: int) -> Batch:
    length = max(len(example.token_ids) for example in examples)

    def padded(row: list[int], filler: int) -> list[int]:
        return row + [filler] * (length - len(row))

    token_ids = torch.tensor([padded(example.token_ids, pad_id) for example in examples])
    sizes = torch.tensor([len(example.token_ids) for example in examples])
    steps = torch.arange(length)
    return Batch(
        token_ids=token_ids,
        position_ids=steps.expand_as(token_ids),
        padding_mask=steps < sizes.unsqueeze(1),
        labels=torch.tensor([example.label for example in examples]),
        roles=torch.tensor([padded(example.roles, IGNORED) for example in examples]),
    )


def grouped(examples: list[Example], tokens_a_step: int, rng: random.Random) -> list[list[int]]:
    """Indices of examples: each once, neighbours in length together, groups in random order."""
    ordered = sorted(range(len(examples)), key=lambda i: len(examples[i].token_ids) + rng.random() * 8)
    groups: list[list[int]] = [[]]
    for i in ordered:
        if groups[-1] and (len(groups[-1]) + 1) * (len(examples[i].token_ids) + 8) > tokens_a_step:
            groups.append([])
        groups[-1].append(i)
    rng.shuffle(groups)
    return [group for group in groups if group]


def batches(examples: list[Example], pad_id: int, tokens_a_step: int, rng: random.Random) -> list[Batch]:
    """Every example once, neighbours in length together, batches in random order."""
    return [collate([examples[i] for i in group], pad_id) for group in grouped(examples, tokens_a_step, rng)]
