"""Multi-head self-attention (Vaswani et al. 2017, section 3.2).

Axes: B batch, T tokens, D d_model, H heads, K head_dim = D / H.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from model.positions import rotary

Rotation = tuple[Tensor, Tensor]


class MultiHeadAttention(nn.Module):
    """One fused projection to queries, keys and values; parameters do not depend on n_heads."""

    def __init__(self, d_model: int, n_heads: int, *, bias: bool = True) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=bias)
        self.proj = nn.Linear(d_model, d_model, bias=bias)

    def project(self, x: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor, Tensor]:
        """x (B, T, D) → queries, keys, values, each (B, H, T, K); queries and keys turned by the rotation."""
        batch, tokens, _ = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, self.n_heads, self.head_dim)  # (B, T, 3, H, K)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # (B, H, T, K) each
        if rotation is not None:
            q, k = rotary(q, *rotation), rotary(k, *rotation)
        return q, k, v

    def forward(self, x: Tensor, allowed: Tensor | None, rotation: Rotation | None = None) -> Tensor:
        """x (B, T, D) → (B, T, D). allowed: bool, broadcast to (B, H, T, T), True where a query may look."""
        batch, tokens, d_model = x.shape
        q, k, v = self.project(x, rotation)
        out = self._look(q, k, allowed) @ v
        out = out.transpose(1, 2).reshape(batch, tokens, d_model)  # (B, H, T, K) → (B, T, D)
        projected: Tensor = self.proj(out)
        return projected

    def weights(self, x: Tensor, allowed: Tensor | None, rotation: Rotation | None = None) -> Tensor:
        """Where each query looks, for explanation: (B, H, T, T), rows summing to 1."""
        q, k, _ = self.project(x, rotation)
        return self._look(q, k, allowed)

    def _look(self, q: Tensor, k: Tensor, allowed: Tensor | None) -> Tensor:
        """q, k (B, H, T, K) → (B, H, T, T), rows summing to 1.

        Spelled out: the library's plain form guards against rows that may look nowhere, which no mail has, and a
        training step spent a tenth of its time on it; its fused form is slower yet on a CPU in bfloat16.
        """
        scores = (q * self.head_dim**-0.5) @ k.transpose(-2, -1)
        if allowed is not None:
            barred = torch.zeros_like(allowed, dtype=scores.dtype).masked_fill(~allowed, torch.finfo(scores.dtype).min)
            scores = scores + barred
        return torch.softmax(scores, dim=-1)
