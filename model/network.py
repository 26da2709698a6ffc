"""The encoder: embed, positions, blocks, then a head for the mail's label and one for each token's role.

Axes: B batch, T tokens, D d_model, H heads, L labels, R roles. Post-norm blocks with biases and exact GELU
(Devlin et al. 2019), so that public BERT-shaped weights may be the start.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.attention import MultiHeadAttention, Rotation
from model.config import ModelConfig
from model.positions import LearnedPositions, RotaryPositions, SinusoidalPositions


class EncoderOutput(NamedTuple):
    """What one window of a mail says; windows of one mail are joined by their pool_logsumexp."""

    label_logits: Tensor  # (B, L)
    pool_logsumexp: Tensor  # (B, L): the log of the pooling weights' sum before they were normalised
    role_logits: Tensor  # (B, T, R)


class MailDropout(nn.Module):
    """Drops the same features at every token of a mail: one mask a row (Gal and Ghahramani 2016, section 4.2).

    Besides, a CPU draws D random numbers a mail in place of T·D; drawing took a sixth of a training step.
    """

    def __init__(self, ratio: float) -> None:
        super().__init__()
        self.ratio = ratio

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) → (B, T, D), unchanged in evaluation."""
        if not self.training or self.ratio == 0.0:
            return x
        return x * F.dropout(x.new_ones(x.shape[0], 1, x.shape[2]), self.ratio)


class EncoderBlock(nn.Module):
    """Attention, then a two-layer network a token, each added to its input and normalised."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.attention_norm = nn.LayerNorm(config.d_model, eps=config.norm_eps)
        self.widen = nn.Linear(config.d_model, config.d_ff)
        self.narrow = nn.Linear(config.d_ff, config.d_model)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, eps=config.norm_eps)
        self.dropout = MailDropout(config.dropout)

    def forward(self, x: Tensor, allowed: Tensor | None, rotation: Rotation | None) -> Tensor:
        x = self.attention_norm(x + self.dropout(self.attention(x, allowed, rotation)))
        out: Tensor = self.feed_forward_norm(x + self.dropout(self.narrow(F.gelu(self.widen(x)))))
        return out


class LabelAttention(nn.Module):
    """Masked attention pooling with one query a label (Mullenbach et al. 2018, section 2.2).

    Each token casts a vote for each label; each label weighs the tokens by a query of its own.
    """

    def __init__(self, d_model: int, n_labels: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, n_labels, bias=False)
        self.vote = nn.Linear(d_model, n_labels, bias=False)
        self.bias = nn.Parameter(torch.zeros(n_labels))

    def forward(self, x: Tensor, padding_mask: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, T, D), padding_mask (B, T) True at words → label logits and pooling log-sums, each (B, L)."""
        scores = self.query(x).float().masked_fill(~padding_mask.unsqueeze(-1), -1e9)  # (B, T, L)
        logsumexp = scores.logsumexp(dim=1)  # (B, L)
        weights = (scores - logsumexp.unsqueeze(1)).exp()  # (B, T, L), summing to 1 over T
        return (weights * self.vote(x).float()).sum(dim=1) + self.bias, logsumexp


class EmailEncoder(nn.Module):
    """Token ids and position ids in; label logits, pooling log-sums and role logits out."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab_size, config.d_model)
        self.learned = LearnedPositions(config.max_len, config.d_model) if config.positions == "learned" else None
        self.sinusoidal = SinusoidalPositions(config.d_model) if config.positions == "sinusoidal" else None
        self.rotary = RotaryPositions(config.head_dim, config.rope_base) if config.positions == "rope" else None
        self.embed_norm = nn.LayerNorm(config.d_model, eps=config.norm_eps)
        self.dropout = MailDropout(config.dropout)
        self.blocks = nn.ModuleList(EncoderBlock(config) for _ in range(config.n_layers))
        self.label_head = LabelAttention(config.d_model, len(config.labels))
        self.role_head = nn.Linear(config.d_model, len(config.roles))
        self.apply(self._initialise)

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding) and module is self.embed:
            # a learned table keeps std 1, as the words have once they are scaled
            nn.init.normal_(module.weight, std=self.config.d_model**-0.5)

    def embed_tokens(self, token_ids: Tensor, position_ids: Tensor) -> Tensor:
        """(B, T) and (B, T) → (B, T, D), scaled by the root of d_model as in Vaswani et al. 2017, section 3.4."""
        x = self.embed(token_ids) * self.config.d_model**0.5
        if self.learned is not None:
            x = x + self.learned(position_ids)
        elif self.sinusoidal is not None:
            x = x + self.sinusoidal(position_ids)
        embedded: Tensor = self.dropout(self.embed_norm(x))
        return embedded

    def hidden_states(self, token_ids: Tensor, position_ids: Tensor, padding_mask: Tensor) -> list[Tensor]:
        """The embedding and each block's output: n_layers + 1 tensors of (B, T, D)."""
        allowed = padding_mask[:, None, None, :]  # (B, 1, 1, T): every query, every head
        rotation = self.rotary(position_ids) if self.rotary is not None else None
        states = [self.embed_tokens(token_ids, position_ids)]
        for block in self.blocks:
            states.append(block(states[-1], allowed, rotation))
        return states

    def forward(self, token_ids: Tensor, position_ids: Tensor, padding_mask: Tensor) -> EncoderOutput:
        """token_ids, position_ids int64 (B, T); padding_mask bool (B, T), True at real tokens."""
        x = self.hidden_states(token_ids, position_ids, padding_mask)[-1]
        label_logits, pool_logsumexp = self.label_head(x, padding_mask)
        return EncoderOutput(label_logits, pool_logsumexp, self.role_head(x).float())
