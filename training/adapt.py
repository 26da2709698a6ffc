"""Teach the pretrained layers our positions: the learned table is thrown away, and a copy of the network that has RoPE
or sinusoids learns to reproduce the original's hidden states, layer by layer, on the corpus's own words.

The idea is distillation of hidden states (Romero et al. 2015, FitNets; Jiao et al. 2020, TinyBERT).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from model.config import PositionScheme
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer
from training.pretrained import Start
from training.schedule import arithmetic, cosine_with_warmup

LENGTHS = (24, 48, 96, 192, 384)  # tokens of a training row; short rows are commoner, as in mail
LENGTH_WEIGHTS = (6, 6, 4, 2, 1)
TOKENS_A_STEP = 1_536


def token_rows(ids: list[list[int]], tokenizer: MailTokenizer, seed: int) -> Iterator[Tensor]:
    """Endless batches (rows, tokens) cut from the joined mails, each row with [CLS] and [SEP]."""
    rng = random.Random(seed)
    stream = np.array([token for row in ids for token in (*row, tokenizer.sep_id)], dtype=np.int64)
    while True:
        length = rng.choices(LENGTHS, LENGTH_WEIGHTS)[0]
        starts = [rng.randrange(max(1, len(stream) - length)) for _ in range(max(1, TOKENS_A_STEP // length))]
        rows = [[tokenizer.cls_id, *stream[s : s + length].tolist(), tokenizer.sep_id] for s in starts]
        yield torch.tensor(rows)


def adapt(
    start: Start,
    positions: PositionScheme,
    texts: list[str],
    *,
    steps: int,
    seed: int,
    learning_rate: float,
    progress: Callable[[int, float], None] = lambda *_: None,
) -> EmailEncoder:
    """The pretrained network with other positions; its words stay. `progress` is told each step's number and loss."""
    torch.manual_seed(seed)
    teacher = start.network("learned", dropout=0.0).eval()
    student = start.network(positions, dropout=0.0).train()
    ids = [entry.ids.tolist() for entry in start.tokenizer.encode(texts)]
    layers = list(student.blocks.parameters())
    optimizer = torch.optim.AdamW(layers, lr=learning_rate, weight_decay=0.0, betas=(0.9, 0.98), fused=True)
    schedule = cosine_with_warmup(optimizer, steps, warmup=min(100, steps // 10))
    for step, token_ids in zip(range(steps), token_rows(ids, start.tokenizer, seed), strict=False):
        position_ids = torch.arange(token_ids.shape[1]).expand_as(token_ids)
        everywhere = torch.ones_like(token_ids, dtype=torch.bool)
        with arithmetic():
            with torch.no_grad():
                targets = teacher.hidden_states(token_ids, position_ids, everywhere)
            states = student.hidden_states(token_ids, position_ids, everywhere)
            losses = [
                torch.nn.functional.mse_loss(state.float(), target.float())
                for state, target in zip(states[1:], targets[1:], strict=True)
            ]
            loss = torch.stack(losses).mean()
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(layers, 1.0)
        optimizer.step()
        schedule.step()
        progress(step, float(loss.detach()))
    return student
