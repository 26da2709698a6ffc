"""What tells a network order: positions × heads × layers, the same data and budget, several seeds.

Small networks learn machine-made contrasts of a fee and an item and are asked for swap pairs: two mails of the same
words. Besides the schemes a model folder can have, two that newcomers think of first are tried: the position as a
raw number, and that number over the mail's length.

Axes: B batch, T tokens, D d_model.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from itertools import product
from multiprocessing import get_context
from typing import Any, Literal, cast, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.config import ModelConfig, PositionScheme
from model.network import EmailEncoder, EncoderBlock
from training.data import Mail, read_split
from training.generator import Generator, harvest
from training.schedule import cosine_with_warmup

AblatedPositions = Literal["none", "number", "ratio", "learned", "sinusoidal", "rope"]
POSITIONS: tuple[AblatedPositions, ...] = get_args(AblatedPositions)
HEADS, LAYERS = (1, 4, 8), (1, 2)
LENGTHS = (1, 2, 4)  # times the longest training mail
FILLERS = ("We moved house last month.", "The weather has been dreadful here.", "My number has not changed.")
LABELS = ("refund_fee", "refund_item")
PAD, UNKNOWN = 0, 1
TOKENS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Budget:
    """The same for every trial."""

    mails: int = 6_000
    frames: int = (
        6  # of contrast; with many more these small networks learn no order in minutes, whatever they are told
    )
    steps: int = 400
    batch: int = 64
    pairs: int = 200  # swap pairs asked for, at each length
    d_model: int = 64
    seeds: int = 2
    learning_rate: float = 2e-3


@dataclass(frozen=True)
class Trial:
    positions: AblatedPositions
    n_heads: int
    n_layers: int
    seed: int


class NumberedEncoder(EmailEncoder):
    """Position as one number, raw or over the mail's length, along one learned direction of the embedding."""

    def __init__(self, config: ModelConfig, *, over_length: bool) -> None:
        super().__init__(replace(config, positions="none"))
        self.over_length = over_length
        self.direction = nn.Parameter(torch.randn(config.d_model))

    def embed_tokens(self, token_ids: Tensor, position_ids: Tensor) -> Tensor:
        number = position_ids.float()  # (B, T)
        if self.over_length:
            number = number / (token_ids != PAD).sum(dim=1, keepdim=True)
        x = self.embed(token_ids) * self.config.d_model**0.5 + number.unsqueeze(-1) * self.direction
        embedded: Tensor = self.dropout(self.embed_norm(x))
        return embedded


@dataclass(frozen=True)
class Data:
    """Token ids over a vocabulary of the training mails' own tokens; pairs: length factor → both members' rows."""

    vocab_size: int
    longest: int
    rows: list[list[int]]
    labels: list[int]
    pairs: dict[int, list[tuple[list[int], list[int]]]]


def words_of(text: str) -> list[str]:
    return TOKENS.findall(text.lower())


def lengthened(row: list[int], room: int, fillers: list[list[int]], before: int) -> list[int]:
    """The mail among neutral sentences, as many as go into `room` tokens; `before` of each four stand before it."""
    left: list[int] = []
    right: list[int] = []
    for turn, filler in enumerate(fillers):
        if len(left) + len(right) + len(row) + len(filler) > room:
            break
        if turn % 4 < before:
            left += filler
        else:
            right += filler
    return [*left, *row, *right]


def make_data(budget: Budget, mails: list[Mail]) -> Data:
    """Machine-made contrasts from the training writers' phrases; longer pairs have neutral sentences around them."""
    generator, rng = Generator(harvest(mails), seed=0), random.Random(0)
    train = [mail for _ in range(budget.mails // 2) for mail in generator.swap_pair(budget.frames)]
    asked = [generator.swap_pair(budget.frames) for _ in range(budget.pairs)]
    rows = [words_of(mail.text) for mail in train]
    known = {word: n for n, word in enumerate(sorted({w for row in [*rows, *map(words_of, FILLERS)] for w in row}), 2)}

    def numbered(words: list[str]) -> list[int]:
        return [known.get(word, UNKNOWN) for word in words]

    fillers = [numbered(words_of(filler)) for filler in FILLERS]
    longest = max(map(len, rows))
    pairs: dict[int, list[tuple[list[int], list[int]]]] = {}
    for factor in LENGTHS:
        room = factor * longest if factor > 1 else 0
        pairs[factor] = []
        for a, b in asked:
            around, before = rng.choices(fillers, k=factor * longest), rng.randrange(5)
            first, second = (lengthened(numbered(words_of(m.text)), room, around, before) for m in (a, b))
            pairs[factor].append((first, second))
    # every third training mail carries a filler too, so that the sentences themselves are no news at longer lengths
    ids = [numbered(row) + (rng.choice(fillers) if i % 3 == 0 else []) for i, row in enumerate(rows)]
    return Data(len(known) + 2, longest, ids, [LABELS.index(mail.label) for mail in train], pairs)


def make_network(trial: Trial, budget: Budget, data: Data) -> EmailEncoder:
    config = ModelConfig(
        vocab_size=data.vocab_size,
        d_model=budget.d_model,
        n_heads=trial.n_heads,
        n_layers=trial.n_layers,
        d_ff=2 * budget.d_model,
        max_len=max(LENGTHS) * data.longest + 64,
        dropout=0.0,
        pad_id=PAD,
        labels=LABELS,
    )
    if trial.positions in ("number", "ratio"):
        network: EmailEncoder = NumberedEncoder(config, over_length=trial.positions == "ratio")
    else:
        network = EmailEncoder(replace(config, positions=cast(PositionScheme, trial.positions)))
    for module in network.modules():
        # BERT's small start suits wide pretrained layers; in narrow new ones attention would long look everywhere alike
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
    return network


def padded(rows: list[list[int]]) -> Tensor:
    """(B, T), PAD behind the shorter rows."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def logits_of(network: EmailEncoder, rows: list[list[int]]) -> Tensor:
    """(B, 2): one row of label logits a mail."""
    token_ids = padded(rows)
    output = network(token_ids, torch.arange(token_ids.shape[1]).expand_as(token_ids), token_ids != PAD)
    logits: Tensor = output.label_logits
    return logits


def fit(network: EmailEncoder, budget: Budget, data: Data, seed: int) -> None:
    rng = random.Random(seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=budget.learning_rate, weight_decay=0.01)
    schedule = cosine_with_warmup(optimizer, budget.steps, budget.steps // 10)
    network.train()
    for _ in range(budget.steps):
        drawn = rng.sample(range(len(data.rows)), budget.batch)
        logits = logits_of(network, [data.rows[i] for i in drawn])
        loss = F.cross_entropy(logits, torch.tensor([data.labels[i] for i in drawn]))
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    network.eval()


@torch.inference_mode()
def swap_figures(network: EmailEncoder, pairs: list[tuple[list[int], list[int]]]) -> dict[str, float]:
    """Members right, both right, both the same label, and the mean order gap."""
    first = torch.softmax(logits_of(network, [a for a, _ in pairs]), dim=-1).numpy()
    second = torch.softmax(logits_of(network, [b for _, b in pairs]), dim=-1).numpy()
    right = np.stack([first.argmax(1) == 0, second.argmax(1) == 1])
    return {
        "accuracy": float(right.mean()),
        "both_right": float(right.all(axis=0).mean()),
        "both_same": float((first.argmax(1) == second.argmax(1)).mean()),
        "order_gap": float(np.abs(first[:, 0] - second[:, 0]).mean()),
    }


def head_drops(network: EmailEncoder, pairs: list[tuple[list[int], list[int]]]) -> list[dict[str, float]]:
    """Each head's output set to nought in turn: what is left of the swap pairs (Michel et al. 2019)."""
    rows = []
    for layer, block in enumerate(network.blocks):
        weight = cast(EncoderBlock, block).attention.proj.weight  # (D, D): columns are the heads' outputs, head by head
        for head in range(network.config.n_heads):
            columns = slice(head * network.config.head_dim, (head + 1) * network.config.head_dim)
            kept = weight[:, columns].detach().clone()
            with torch.no_grad():
                weight[:, columns] = 0.0
            rows.append({"layer": layer, "head": head, **swap_figures(network, pairs)})
            with torch.no_grad():
                weight[:, columns] = kept
    return rows


def run_trial(trial: Trial, budget: Budget, data: Data) -> dict[str, Any]:
    torch.set_num_threads(1)
    torch.manual_seed(trial.seed)
    network = make_network(trial, budget, data)
    fit(network, budget, data, trial.seed)
    found: dict[str, Any] = {
        **asdict(trial),
        "parameters": sum(p.numel() for p in network.parameters()),
        "lengths": {str(factor): swap_figures(network, pairs) for factor, pairs in data.pairs.items()},
    }
    if trial == Trial("rope", max(HEADS), max(LAYERS), 0):
        found["head_drops"] = head_drops(network, data.pairs[1])
    return found


def trials(budget: Budget) -> Iterator[Trial]:
    for positions, heads, layers, seed in product(POSITIONS, HEADS, LAYERS, range(budget.seeds)):
        yield Trial(positions, heads, layers, seed)


def ablate(budget: Budget, workers: int, progress: Callable[[int, int], None] = lambda *_: None) -> dict[str, Any]:
    """Every trial, `workers` at a time in processes of one thread. progress: done, of how many."""
    data = make_data(budget, read_split("train"))
    planned = list(trials(budget))
    results = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(run_trial, trial, budget, data) for trial in planned]):
            results.append(done.result())
            progress(len(results), len(planned))
    results.sort(key=lambda r: (POSITIONS.index(r["positions"]), r["n_layers"], r["n_heads"], r["seed"]))
    return {"budget": asdict(budget), "longest_training_mail_tokens": data.longest, "trials": results}
