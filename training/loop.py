"""The training loop: AdamW, cosine with warm-up, clipping, early stop, a seed, and resume after a kill.

Each epoch draws from its own seed, so a run that was killed and resumed at an epoch's start is the same run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from model.network import EmailEncoder, EncoderOutput
from model.tokenizer import MailTokenizer
from training.batches import IGNORED, Batch, batches, encode
from training.data import Mail
from training.drawing import Drawing
from training.schedule import arithmetic, cosine_with_warmup
from training.state import save_whole


@dataclass(frozen=True)
class TrainingConfig:
    """What a run does beside the network's shape; saved in the model's card."""

    epochs: int = 3
    patience: int = 3  # epochs without a better development score before the run stops
    tokens_a_step: int = 1_536
    body_learning_rate: float = 1.5e-4
    head_learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup_ratio: float = 0.06
    clip_norm: float = 1.0
    label_smoothing: float = 0.0
    role_weight: float = 2.0
    average_decay: float = 0.99  # of the weights' moving average, which is what is evaluated and kept
    generated_ratio: float = 0.3  # generated mails an epoch, over hand-written ones
    exchange_ratio: float = 0.3  # hand-written mails, of those fit for it, whose refund and keep phrases are exchanged
    substitute_ratio: float = 0.3  # likewise, whose phrases are replaced by others of their kind
    seed: int = 0

    def gentler(self) -> TrainingConfig:
        """For weights that have learned the task before: a tenth of the learning rates."""
        return replace(
            self,
            body_learning_rate=self.body_learning_rate / 10,
            head_learning_rate=self.head_learning_rate / 10,
        )


@dataclass(frozen=True)
class EpochReport:
    """What one epoch came to."""

    epoch: int
    loss: float
    label_accuracy: float
    role_accuracy: float


def optimizer_of(network: EmailEncoder, config: TrainingConfig) -> torch.optim.Optimizer:
    """AdamW with a learning rate for the heads and one for the body."""
    heads = [p for name, p in network.named_parameters() if name.startswith(("label_head", "role_head"))]
    body = [p for name, p in network.named_parameters() if not name.startswith(("label_head", "role_head"))]
    return torch.optim.AdamW(
        [{"params": body, "lr": config.body_learning_rate}, {"params": heads, "lr": config.head_learning_rate}],
        weight_decay=config.weight_decay,
        fused=True,
    )


def losses_of(output: EncoderOutput, batch: Batch, config: TrainingConfig) -> tuple[Tensor, Tensor]:
    """Each mail's loss of its label (B,), and each token's of its role (B, T), 0 where there is no target; in nats."""
    labels = F.cross_entropy(
        output.label_logits, batch.labels, label_smoothing=config.label_smoothing, reduction="none"
    )
    roles = F.cross_entropy(
        output.role_logits.flatten(0, 1), batch.roles.flatten(), ignore_index=IGNORED, reduction="none"
    )
    return labels, roles.view(batch.roles.shape)


def descend(
    network: EmailEncoder, optimizer: torch.optim.Optimizer, batch: Batch, config: TrainingConfig
) -> tuple[Tensor, Tensor, float]:
    """One step of training: what losses_of says, and the loss that was descended."""
    with arithmetic():
        output = network(batch.token_ids, batch.position_ids, batch.padding_mask)
    labels, roles = losses_of(output, batch, config)
    loss = labels.mean() + config.role_weight * roles.sum() / (batch.roles != IGNORED).sum()
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip_norm)
    optimizer.step()
    return labels.detach(), roles.detach(), float(loss.detach())


@torch.inference_mode()
def score(network: EmailEncoder, examples: list[Batch]) -> tuple[float, float]:
    """Label accuracy, and the share of role-bearing tokens whose role is right."""
    network.eval()
    right = total = role_right = role_total = 0
    for batch in examples:
        with arithmetic():
            output = network(batch.token_ids, batch.position_ids, batch.padding_mask)
        right += int((output.label_logits.argmax(-1) == batch.labels).sum())
        total += len(batch.labels)
        marked = batch.roles > 0
        role_right += int((output.role_logits.argmax(-1)[marked] == batch.roles[marked]).sum())
        role_total += int(marked.sum())
    return right / max(1, total), role_right / max(1, role_total)


class Trainer:
    """Runs a network through its epochs and leaves it with the best averaged weights found."""

    def __init__(
        self,
        network: EmailEncoder,
        tokenizer: MailTokenizer,
        train: list[Mail],
        development: list[Mail],
        config: TrainingConfig,
        *,
        state_file: Path | None = None,
        forbidden: frozenset[str] = frozenset(),
        identity: str = "",
    ) -> None:
        """forbidden: texts, normalised, that must never be generated, such as the suites' mails.

        identity: what else makes this run this run, such as the corpus's hash; a state of another is refused.
        """
        self.identity = identity
        self.network, self.tokenizer, self.config = network, tokenizer, config
        self.train_mails, self.state_file = train, state_file
        self.drawing = Drawing(train, config.exchange_ratio, config.substitute_ratio, forbidden)
        torch.manual_seed(config.seed)
        pad_id, rng = network.config.pad_id, random.Random(config.seed)
        self.development = batches(encode(development, tokenizer, network.config), pad_id, config.tokens_a_step, rng)
        self.optimizer = optimizer_of(network, config)
        steps = len(self.epoch_batches(0)) * config.epochs
        self.schedule = cosine_with_warmup(self.optimizer, steps, max(1, int(steps * config.warmup_ratio)))
        self.average = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
        self.best = {name: tensor.clone() for name, tensor in self.average.items()}
        self.reports: list[EpochReport] = []

    def epoch_batches(self, epoch: int) -> list[Batch]:
        """The epoch's mails: every hand-written one as another might have typed it, and fresh generated ones."""
        config, rng = self.config, random.Random(self.config.seed * 1_000 + epoch)
        mails = self.drawing.typed(self.train_mails, rng)
        mails += self.drawing.generated(int(len(mails) * config.generated_ratio), rng)
        examples = encode(mails, self.tokenizer, self.network.config)
        return batches(examples, self.network.config.pad_id, config.tokens_a_step, rng)

    def _step(self, batch: Batch) -> float:
        *_, loss = descend(self.network, self.optimizer, batch, self.config)
        self.schedule.step()
        with torch.no_grad():
            live = list(self.network.state_dict().values())
            torch._foreach_lerp_(list(self.average.values()), live, 1.0 - self.config.average_decay)
        return loss

    def _evaluate(self, epoch: int, loss: float) -> EpochReport:
        """Score the averaged weights, and keep them where they are the best so far."""
        live = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(self.average)
        report = EpochReport(epoch, loss, *score(self.network, self.development))
        self.network.load_state_dict(live)
        if not self.reports or _merit(report) > max(map(_merit, self.reports)):
            self.best = {name: tensor.clone() for name, tensor in self.average.items()}
        self.reports.append(report)
        return report

    def _stale(self) -> bool:
        merits = [_merit(report) for report in self.reports]
        return bool(merits) and len(merits) - 1 - merits.index(max(merits)) >= self.config.patience

    def run(self, progress: Callable[[int, int, int, float], None] = lambda *_: None) -> list[EpochReport]:
        """Train to the end or to the early stop. progress is told (epoch, step, steps, loss) at each step."""
        self._resume()
        while len(self.reports) < self.config.epochs and not self._stale():
            epoch = len(self.reports)
            torch.manual_seed(self.config.seed * 1_000 + epoch)
            self.network.train()
            total, steps = 0.0, self.epoch_batches(epoch)
            for number, batch in enumerate(steps, 1):
                total += self._step(batch)
                progress(epoch, number, len(steps), total / number)
            self._evaluate(epoch, total / len(steps))
            self._save()
        self.network.load_state_dict(self.best)
        self.network.eval()
        return self.reports

    def _save(self) -> None:
        """After each epoch."""
        if self.state_file is None:
            return
        state: dict[str, Any] = {
            "config": asdict(self.config),
            "identity": self.identity,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "average": self.average,
            "best": self.best,
            "reports": [asdict(report) for report in self.reports],
        }
        save_whole(state, self.state_file)

    def _resume(self) -> None:
        """Go on from the state file, where there is one. Raises ValueError where it is another recipe's."""
        if self.state_file is None or not self.state_file.exists():
            return
        state = torch.load(self.state_file, weights_only=True)
        if (state["config"], state["identity"]) != (asdict(self.config), self.identity):
            raise ValueError(
                f"{self.state_file} belongs to a run with other settings or mails; remove it or name another run"
            )
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.average, self.best = state["average"], state["best"]
        self.reports = [EpochReport(**report) for report in state["reports"]]


def _merit(report: EpochReport) -> float:
    return report.label_accuracy + 0.25 * report.role_accuracy
