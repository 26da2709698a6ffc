"""How a token learns where it stands: none, learned, sinusoidal or rotary.

Every scheme is driven by explicit position ids, so "positions off" is the same network fed with zeros.
Axes: B batch, T tokens, D d_model, K head_dim, H heads.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def inverse_frequencies(width: int, base: float = 10_000.0) -> Tensor:
    """1 / base^(2i / width) for i in 0 .. width/2 - 1, in radians per position: (width / 2,)."""
    return base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)


class LearnedPositions(nn.Module):
    """One trained vector a slot, as BERT's (Devlin et al. 2019, section 3); slots past max_len do not exist."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, position_ids: Tensor) -> Tensor:
        """position_ids (B, T) → (B, T, D). Raises ValueError for an id past the table."""
        if not torch.compiler.is_exporting():
            check_learned_range(int(position_ids.max()), self.table.num_embeddings)
        out: Tensor = self.table(position_ids)
        return out


def check_learned_range(highest_id: int, max_len: int) -> None:
    """Raise ValueError, with both numbers, where a learned table has no slot for an id."""
    if highest_id >= max_len:
        raise ValueError(f"position {highest_id} was asked of a learned table that has {max_len} slots")


class SinusoidalPositions(nn.Module):
    """Sines and cosines of falling frequency, interleaved (Vaswani et al. 2017, section 3.5)."""

    frequencies: Tensor

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.register_buffer("frequencies", inverse_frequencies(d_model).float(), persistent=False)

    def forward(self, position_ids: Tensor) -> Tensor:
        """position_ids (B, T) → (B, T, D): even slots sin, odd slots cos."""
        angles = position_ids.unsqueeze(-1).float() * self.frequencies  # (B, T, D/2)
        return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)  # (B, T, D)


class RotaryPositions(nn.Module):
    """The angles that turn queries and keys (Su et al. 2021, RoFormer, section 3.2).

    Convention: component i is paired with component i + K/2 (GPT-NeoX's), not with its neighbour.
    """

    frequencies: Tensor

    def __init__(self, head_dim: int, base: float = 10_000.0) -> None:
        super().__init__()
        self.register_buffer("frequencies", inverse_frequencies(head_dim, base).float(), persistent=False)

    def forward(self, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        """position_ids (B, T) → cos and sin, each (B, 1, T, K/2), the 1 standing for every head."""
        angles = (position_ids.unsqueeze(-1).float() * self.frequencies).unsqueeze(1)
        return angles.cos(), angles.sin()


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair (x_i, x_{i+K/2}) by its angle: (B, H, T, K) → (B, H, T, K), norms kept."""
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]  # (B, H, T, K/2) each
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
