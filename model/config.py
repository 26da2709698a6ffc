"""The shape of a network and the words it answers with, saved beside its weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

PositionScheme = Literal["none", "learned", "sinusoidal", "rope"]
POSITION_SCHEMES: tuple[PositionScheme, ...] = get_args(PositionScheme)

LABELS = (
    "refund_item",
    "refund_fee",
    "refund_order",
    "replacement",
    "cancel_order",
    "billing_error",
    "refund_status",
    "refund_policy",
    "no_refund",
    "other",
)
MONEY_BACK_LABELS = frozenset({"refund_item", "refund_fee", "refund_order"})

MAX_TEXT_CHARACTERS = 5_000_000  # of a mail, in a request or in a suite

NO_ROLE = "none"
ROLES = (NO_ROLE, "refund", "keep", "replace")


@dataclass(frozen=True)
class ModelConfig:
    """Everything that fixes the network's shape; two equal configs accept the same weights.

    Raises ValueError, naming the numbers, where fields contradict each other.
    """

    vocab_size: int
    d_model: int = 384
    n_heads: int = 12
    n_layers: int = 6
    d_ff: int = 1536
    max_len: int = 256  # tokens in one window, [CLS] and [SEP] included; longer mail is read in several
    positions: PositionScheme = "rope"
    rope_base: float = 10_000.0
    dropout: float = 0.1
    pad_id: int = 0
    norm_eps: float = 1e-12  # BERT's, so that its weights may be the start
    labels: tuple[str, ...] = LABELS
    roles: tuple[str, ...] = ROLES

    def __post_init__(self) -> None:
        for name in ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is not a positive number")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model {self.d_model} is not divisible by n_heads {self.n_heads}")
        if self.positions not in POSITION_SCHEMES:
            raise ValueError(f"positions {self.positions!r} is none of {', '.join(POSITION_SCHEMES)}")
        if self.positions == "rope" and self.head_dim % 2:
            raise ValueError(f"rope rotates pairs, so head_dim {self.head_dim} must be even")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"sinusoids come in pairs, so d_model {self.d_model} must be even")
        if self.max_len < 8:
            raise ValueError(f"max_len {self.max_len} is under 8: a window needs room for words")
        if not 0 <= self.pad_id < self.vocab_size:
            raise ValueError(f"pad_id {self.pad_id} is outside the vocabulary of {self.vocab_size}")
        if len(set(self.labels)) != len(self.labels) or len(self.labels) < 2:
            raise ValueError(f"labels must be at least two different words, not {self.labels}")
        if not self.roles or self.roles[0] != NO_ROLE:
            raise ValueError(f"the first role must be {NO_ROLE!r}, not {self.roles}")

    @property
    def head_dim(self) -> int:
        return self.d_model // self.n_heads

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelConfig:
        """Rebuild a config from JSON; unknown and missing fields are ValueErrors that name them."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise ValueError(f"unknown field {unknown[0]!r}")
        if "vocab_size" not in values:
            raise ValueError("field 'vocab_size' is missing")
        tuples: dict[str, Any] = {name: tuple(values[name]) for name in ("labels", "roles") if name in values}
        return cls(**{**values, **tuples})
