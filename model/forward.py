"""The network's forward pass in NumPy, for explanation: it also tells where each head looks, which the graph does not.

The network is a function of the set of (token, position) pairs, and is computed here in the sorted order of those
pairs. So two arrangements of one bag of tokens are, with positions off, the very same computation: their answers are
equal to the last bit, and not only up to the rounding that another order of summation brings.
Axes: T tokens, D d_model, H heads, K head_dim, L labels, R roles, N layers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from model.checkpoint import ModelFolderError
from model.config import ModelConfig

Array = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]

SCALE_SUFFIX = ".scale"  # of an int8 matrix: one float32 a row
EMBEDDING = "embed.weight"


@dataclass(frozen=True)
class Forward:
    """What the network says of one window of tokens, and where its heads looked."""

    label_logits: Array  # (L,)
    role_logits: Array  # (T, R)
    attention: Array  # (N, H, T, T): from each token to each; rows sum to 1


def erf(x: Array) -> Array:
    """The error function, to 1e-6 in float32 (Abramowitz and Stegun 1964, formula 7.1.26); NumPy has none."""
    t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
    series: Array = np.zeros_like(x)
    for coefficient in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = ((series + np.float32(coefficient)) * t).astype(np.float32)
    result: Array = np.sign(x) * (1 - series * np.exp(-x * x))
    return result


def gelu(x: Array) -> Array:
    return np.float32(0.5) * x * (1 + erf(x * np.float32(2**-0.5)))


def softmax(scores: Array) -> Array:
    """Over the last axis."""
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result: Array = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


def frequencies(width: int, base: float = 10_000.0) -> Array:
    """1 / base^(2i / width), as in model.positions: (width / 2,)."""
    return (base ** -(np.arange(0, width, 2, dtype=np.float64) / width)).astype(np.float32)


def rotate(x: Array, cos: Array, sin: Array) -> Array:
    """Turn each pair (x_i, x_{i+K/2}) by its angle: (H, T, K) → (H, T, K)."""
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate((first * cos - second * sin, second * cos + first * sin), axis=-1)


def open_weights(folder: Path) -> safe_open:
    """A folder's weights, mapped and not yet read; they stay readable when the folder is gone."""
    path = folder / "weights.safetensors"
    try:
        return safe_open(path, framework="numpy")
    except (SafetensorError, OSError) as error:
        raise ModelFolderError(path, f"is not readable: {error}") from error


class NumpyNetwork:
    """A model's network in float32; about 90 MB for the released one. Needs no torch."""

    def __init__(self, config: ModelConfig, stored: safe_open) -> None:
        self.config = config
        packed: dict[str, npt.NDArray[np.generic]] = {
            name: stored.get_tensor(name)  # type: ignore[no-untyped-call]
            for name in stored.keys()  # type: ignore[no-untyped-call]  # noqa: SIM118 — it is no mapping
        }
        # the table of words stays packed: a mail needs a few of its rows
        self._embedding, self._embedding_scale = packed.pop(EMBEDDING), packed.pop(EMBEDDING + SCALE_SUFFIX, None)
        self._weights: dict[str, Array] = {}
        for name, tensor in packed.items():
            if not name.endswith(SCALE_SUFFIX):
                scale = packed.get(name + SCALE_SUFFIX)
                wide = tensor.astype(np.float32)
                self._weights[name] = wide if scale is None else wide * scale.astype(np.float32)

    def forward(self, token_ids: Ids, position_ids: Ids, heads_off: Collection[tuple[int, int]] = ()) -> Forward:
        """token_ids, position_ids (T,), [CLS] and [SEP] included. heads_off: (layer, head), whose output is nought."""
        order = np.lexsort((position_ids, token_ids))
        back = np.argsort(order, kind="stable")
        x = self._embed(token_ids[order], position_ids[order])
        attention = []
        for layer in range(self.config.n_layers):
            off = [head for at, head in heads_off if at == layer]
            x, weights = self._block(f"blocks.{layer}.", x, position_ids[order], off)
            attention.append(weights[:, back][:, :, back])
        roles = self._linear("role_head", x)
        return Forward(self._pool(x), roles[back], np.stack(attention))

    def _linear(self, name: str, x: Array) -> Array:
        return x @ self._weights[name + ".weight"].T + self._weights[name + ".bias"]

    def _norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(variance + np.float32(self.config.norm_eps))
        normed: Array = scaled * self._weights[name + ".weight"] + self._weights[name + ".bias"]
        return normed

    def _embed(self, token_ids: Ids, position_ids: Ids) -> Array:
        """(T,) → (T, D)."""
        x = self._embedding[token_ids].astype(np.float32)
        if self._embedding_scale is not None:
            x = x * self._embedding_scale[token_ids].astype(np.float32)
        x = x * np.float32(self.config.d_model**0.5)
        if self.config.positions == "learned":
            x = x + self._weights["learned.table.weight"][position_ids]
        elif self.config.positions == "sinusoidal":
            angles = position_ids[:, None].astype(np.float32) * frequencies(self.config.d_model)
            x = x + np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(x.shape)
        return self._norm("embed_norm", x)

    def _block(self, name: str, x: Array, position_ids: Ids, off: Collection[int]) -> tuple[Array, Array]:
        """x (T, D) → the block's output (T, D) and its attention (H, T, T)."""
        n_tokens, heads, head_dim = len(x), self.config.n_heads, self.config.head_dim
        qkv = self._linear(name + "attention.qkv", x).reshape(n_tokens, 3, heads, head_dim)
        q, k, v = qkv.transpose(1, 2, 0, 3)  # (H, T, K) each
        if self.config.positions == "rope":
            angles = position_ids[:, None].astype(np.float32) * frequencies(head_dim, self.config.rope_base)  # (T, K/2)
            cos, sin = np.cos(angles), np.sin(angles)
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        weights = softmax(q @ k.transpose(0, 2, 1) * np.float32(head_dim**-0.5))  # (H, T, T)
        out = weights @ v  # (H, T, K)
        out[list(off)] = 0
        mixed = self._linear(name + "attention.proj", out.transpose(1, 0, 2).reshape(n_tokens, -1))
        x = self._norm(name + "attention_norm", x + mixed)
        widened = gelu(self._linear(name + "widen", x))
        return self._norm(name + "feed_forward_norm", x + self._linear(name + "narrow", widened)), weights

    def _pool(self, x: Array) -> Array:
        """One attention query a label, as in model.network.LabelAttention: (T, D) → (L,)."""
        weights = softmax((x @ self._weights["label_head.query.weight"].T).T).T  # (T, L)
        votes = x @ self._weights["label_head.vote.weight"].T  # (T, L)
        logits: Array = (weights * votes).sum(axis=0) + self._weights["label_head.bias"]
        return logits
