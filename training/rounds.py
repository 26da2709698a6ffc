"""Going on from a model: rounds of mails, hard ones first, by several processes whose weights are averaged.

A network that has seen its mails a few times is wrong on few of them; most steps of an epoch teach it nothing. A round
draws by the last loss of each mail instead (Loshchilov and Hutter 2016, online batch selection), and brings both
members of a mirror pair. Each process steps by itself and all take their mean every few steps (Stich 2019, local SGD),
which needs no fast link; the learning rate follows the clock, so that a run ends when it was said to end.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from model.network import EmailEncoder, MailDropout
from model.tokenizer import MailTokenizer
from training.batches import Batch, collate, encode, grouped
from training.data import Mail
from training.drawing import Drawing
from training.loop import TrainingConfig, descend, optimizer_of
from training.schedule import half_cosine
from training.state import save_whole

UNSEEN_WEIGHT = 2.0  # of a mail that has no loss yet, when mails are drawn
TRAINED_LOSS = 0.2  # nats; taken for a mail that the start was trained on until it is drawn: neither easy nor hard
FULL_LOSS = 0.4  # nats; from here on a mail is as likely as any
LIKELY_MISLABELLED = 5.0  # nats; such a mail is drawn no more often than an easy one
ROLE_SHARE = 0.15  # of a mail's summed role loss, in the loss that it is drawn by
WAIT = timedelta(minutes=10)  # for another process, before a run is given up


@dataclass(frozen=True)
class RoundsConfig:
    """What going on does beside TrainingConfig; saved in the model's card."""

    minutes: float = 100.0
    workers: int = 2
    mails_a_round: int = 8_000
    easy_weight: float = 0.25  # of a mail whose last loss is 0, where a hard one has 1
    generated_ratio: float = 0.08
    steps_alone: int = 40  # between two means of the workers' weights
    warmup_ratio: float = 0.04
    dropout: float = 0.05  # less than from the start: what it holds back here is the fit


GENTLE = TrainingConfig(body_learning_rate=1.2e-4, head_learning_rate=3.6e-4, average_decay=0.996, role_weight=4.0)


@dataclass
class Memory:
    """What is known of each training mail, by its index: its last loss and how often it was drawn."""

    losses: dict[int, float] = field(default_factory=dict)
    drawn: dict[int, int] = field(default_factory=dict)

    def weight(self, mail: int, easy_weight: float) -> float:
        loss = self.losses.get(mail)
        if loss is None:
            return UNSEEN_WEIGHT
        hard = 0.0 if loss > LIKELY_MISLABELLED else min(1.0, loss / FULL_LOSS)
        return (easy_weight + hard * (1.0 - easy_weight)) / (1.0 + 0.5 * self.drawn.get(mail, 0))

    def learn(self, losses: dict[int, float]) -> None:
        for mail, loss in losses.items():
            self.losses[mail] = (self.losses.get(mail, loss) + loss) / 2


def draw(mails: list[Mail], memory: Memory, config: RoundsConfig, rng: random.Random) -> list[int]:
    """Indices of a round's mails, each once, drawn by weight; members of a pair come together and stand together."""
    pairs: dict[str, list[int]] = {}
    for i, mail in enumerate(mails):
        if mail.pair is not None:
            pairs.setdefault(mail.pair, []).append(i)
    keys = [rng.random() ** (1.0 / memory.weight(i, config.easy_weight)) for i in range(len(mails))]
    chosen: dict[int, None] = {}  # Efraimidis and Spirakis 2006: the largest keys are a draw without replacement
    for i in sorted(range(len(mails)), key=keys.__getitem__, reverse=True):
        if len(chosen) >= config.mails_a_round:
            break
        pair = mails[i].pair
        chosen |= dict.fromkeys([i] if pair is None else pairs[pair])
    for i in chosen:
        memory.drawn[i] = memory.drawn.get(i, 0) + 1
    return list(chosen)


class Worker:
    """One process's part: its share of each round's mails, and the mean with the others."""

    def __init__(
        self,
        rank: int,
        network: EmailEncoder,
        tokenizer: MailTokenizer,
        mails: list[Mail],
        rounds: RoundsConfig,
        training: TrainingConfig,
        forbidden: frozenset[str],
        state_file: Path,
        identity: str,
        trained: frozenset[str],
        clock: Callable[[], float],
    ) -> None:
        """rank: 0 to rounds.workers - 1; every worker starts from the same weights, mails and settings.

        trained: writers whose mails the weights were trained on; new ones' come first.
        state_file: goes on from there, where there is one. Raises ValueError where it is of another identity.
        clock: seconds since whenever.
        """
        self.rank, self.network, self.tokenizer, self.mails = rank, network, tokenizer, mails
        self.rounds, self.training = rounds, training
        self.drawing = Drawing(mails, training.exchange_ratio, training.substitute_ratio, forbidden)
        for module in network.modules():
            if isinstance(module, MailDropout):
                module.ratio = rounds.dropout
        self.optimizer = optimizer_of(network, training)
        self.peaks = [group["lr"] for group in self.optimizer.param_groups]
        self.average = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
        self.memory = Memory({i: TRAINED_LOSS for i, mail in enumerate(mails) if mail.writer in trained})
        self.steps = 0
        self._common = random.Random(training.seed)  # alike in every worker
        self._state_file, self._identity, self._clock = state_file, identity, clock
        self._begin = clock() - self._resume()

    def run(self, progress: Callable[[float, float], None] = lambda *_: None) -> dict[str, Tensor]:
        """Rounds until the time is over; progress is told (seconds gone, loss). Returns the averaged weights."""
        torch.manual_seed(self.training.seed * 1_000 + self.rank)
        over = False
        while not over:
            over = self._round(progress)
        return self.average

    def _round(self, progress: Callable[[float, float], None]) -> bool:
        """One round; True when the time is over."""
        chosen = draw(self.mails, self.memory, self.rounds, self._common)
        mine = chosen[
            self.rank * len(chosen) // self.rounds.workers : (self.rank + 1) * len(chosen) // self.rounds.workers
        ]
        rng = random.Random(self._common.randrange(2**31) + self.rank)
        mails = self.drawing.typed([self.mails[i] for i in mine], rng)
        mails += self.drawing.generated(int(len(mine) * self.rounds.generated_ratio), rng)
        examples = encode(mails, self.tokenizer, self.network.config)
        groups = grouped(examples, self.training.tokens_a_step, rng)
        del groups[self._least(len(groups)) :]
        losses: dict[int, float] = {}
        over = False
        self.network.train()
        for number, group in enumerate(groups, 1):
            batch = collate([examples[i] for i in group], self.network.config.pad_id)
            each, loss = self._step(batch)
            losses |= {mine[i]: value for i, value in zip(group, each, strict=True) if i < len(mine)}
            progress(self._seconds(), loss)
            if number % self.rounds.steps_alone == 0 or number == len(groups):
                over = self._meet()
                if over:
                    break
        for part in self._gathered(losses):
            self.memory.learn(part)
        self._save()
        return over

    def _step(self, batch: Batch) -> tuple[list[float], float]:
        """Each mail's loss, and the step's."""
        factor = self._factor()
        for group, peak in zip(self.optimizer.param_groups, self.peaks, strict=True):
            group["lr"] = peak * factor
        labels, roles, loss = descend(self.network, self.optimizer, batch, self.training)
        self.steps += 1
        each: list[float] = (labels + ROLE_SHARE * roles.sum(dim=1)).tolist()
        return each, loss

    def _save(self) -> None:
        """After each round; what AdamW knows of the gradients is not kept, and is learned anew."""
        if self.rank > 0:
            return
        state = {
            "identity": self._identity,
            "network": self.network.state_dict(),
            "average": self.average,
            "losses": self.memory.losses,
            "drawn": self.memory.drawn,
            "steps": self.steps,
            "seconds": self._seconds(),
            "random": self._common.getstate(),
        }
        save_whole(state, self._state_file)

    def _resume(self) -> float:
        """Seconds gone before."""
        if not self._state_file.exists():
            return 0.0
        state = torch.load(self._state_file, weights_only=True)
        if state["identity"] != self._identity:
            raise ValueError(f"{self._state_file} belongs to a run with other settings or mails; name another run")
        self.network.load_state_dict(state["network"])
        self.average, self.steps = state["average"], state["steps"]
        self.memory = Memory(state["losses"], state["drawn"])
        self._common.setstate(state["random"])
        return float(state["seconds"])

    def _seconds(self) -> float:
        return self._clock() - self._begin

    def _factor(self) -> float:
        """Of the peak learning rate: linear up over warmup_ratio of the time, then half a cosine to 0."""
        done = self._seconds() / (60.0 * self.rounds.minutes)
        warmup = self.rounds.warmup_ratio
        if done < warmup:
            return done / warmup
        return half_cosine((done - warmup) / (1.0 - warmup))

    @torch.no_grad()
    def _meet(self) -> bool:
        """All workers take the mean of their weights, which the moving average follows. True when time is over."""
        parameters = list(self.network.parameters())
        over = torch.tensor([float(self._seconds() >= 60.0 * self.rounds.minutes)])
        flat = torch.cat([*(parameter.detach().flatten() for parameter in parameters), over])
        dist.all_reduce(flat)
        flat /= self.rounds.workers
        pieces = torch.split(flat[:-1], [parameter.numel() for parameter in parameters])
        for parameter, values in zip(parameters, pieces, strict=True):
            parameter.copy_(values.view_as(parameter))
        decay = min(self.training.average_decay**self.rounds.steps_alone, self.steps / (self.steps + 400))
        for name, tensor in self.network.state_dict().items():
            self.average[name].lerp_(tensor, 1.0 - decay)
        return bool(flat[-1] > 0)

    def _least(self, count: int) -> int:
        """The fewest steps that any worker has in this round: all must meet as often."""
        least = torch.tensor([count])
        dist.all_reduce(least, op=dist.ReduceOp.MIN)
        return int(least)

    def _gathered(self, losses: dict[int, float]) -> list[dict[int, float]]:
        parts: list[Any] = [None] * self.rounds.workers
        dist.all_gather_object(parts, losses)
        return parts


def _join(rank: int, workers: int, meeting_place: Path) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=meeting_place.resolve().as_uri(), rank=rank, world_size=workers, timeout=WAIT
    )


def _other(rank: int, workers: int, meeting_place: Path, parts: tuple[Any, ...]) -> None:
    _join(rank, workers, meeting_place)
    Worker(rank, *parts).run()
    dist.destroy_process_group()


def go_on(
    network: EmailEncoder,
    tokenizer: MailTokenizer,
    mails: list[Mail],
    rounds: RoundsConfig,
    training: TrainingConfig,
    run: Path,
    *,
    identity: str = "",
    forbidden: frozenset[str] = frozenset(),
    trained: frozenset[str] = frozenset(),
    progress: Callable[[float, float], None] = lambda *_: None,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Train the network for rounds.minutes in as many processes of one thread each; returns each one's steps.

    run: a folder where the processes find each other and keep their state, so that a killed run goes on; identity: what
    makes it this run; trained: writers that the network has learned from, whose mails wait for the new ones'.
    progress is told (seconds gone, this process's loss); each process reads a copy of the clock.
    Raises RuntimeError where a process dies, and ValueError where the folder holds the state of another run.
    """
    meeting_place = run / "meeting-place"
    meeting_place.unlink(missing_ok=True)
    parts = (network, tokenizer, mails, rounds, training, forbidden, run / "rounds.pt", identity, trained, clock)
    context = torch.multiprocessing.get_context("spawn")
    others = [
        context.Process(target=_other, args=(rank, rounds.workers, meeting_place, parts), daemon=True)
        for rank in range(1, rounds.workers)
    ]
    threads = torch.get_num_threads()
    for other in others:
        other.start()
    try:
        _join(0, rounds.workers, meeting_place)
        first = Worker(0, *parts)
        network.load_state_dict(first.run(progress))
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
        torch.set_num_threads(threads)
        for other in others:
            other.join(timeout=5.0)
            other.kill()
        meeting_place.unlink(missing_ok=True)
    network.eval()
    return first.steps
