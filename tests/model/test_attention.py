from __future__ import annotations

import pytest
import torch
from torch import Tensor

from model.attention import MultiHeadAttention
from model.config import ModelConfig
from model.network import EncoderBlock


def naive(attention: MultiHeadAttention, x: Tensor, allowed: Tensor | None) -> Tensor:
    """softmax(QKᵀ/√d)V, head by head, as the paper writes it."""
    batch, tokens, d_model = x.shape
    q, k, v = attention.qkv(x).split(d_model, dim=-1)
    size, heads = attention.head_dim, []
    for head in range(attention.n_heads):
        part = slice(head * size, (head + 1) * size)
        scores = q[..., part] @ k[..., part].transpose(1, 2) / size**0.5
        if allowed is not None:
            scores = scores.masked_fill(~allowed.view(batch, 1, tokens), float("-inf"))
        heads.append(torch.softmax(scores, dim=-1) @ v[..., part])
    return attention.proj(torch.cat(heads, dim=-1))


@pytest.mark.parametrize(("d_model", "bias", "expected"), [(64, False, 16_384), (512, False, 1_048_576)])
@pytest.mark.parametrize("n_heads", [1, 4, 8])
def test_parameters_do_not_depend_on_the_number_of_heads(d_model: int, bias: bool, expected: int, n_heads: int) -> None:
    attention = MultiHeadAttention(d_model, n_heads, bias=bias)
    assert sum(parameter.numel() for parameter in attention.parameters()) == expected


def test_parameters_of_a_small_layer_with_biases() -> None:
    attention = MultiHeadAttention(32, 4)
    assert sum(p.numel() for p in attention.qkv.parameters()) == 3_168
    assert sum(p.numel() for p in attention.proj.parameters()) == 1_056


def test_weights_have_a_row_for_each_query_of_each_head() -> None:
    weights = MultiHeadAttention(32, 4).weights(torch.randn(2, 7, 32), None)
    assert weights.shape == (2, 4, 7, 7)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 7))


def test_heads_that_do_not_divide_the_width_are_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="d_model 100 is not divisible by n_heads 8"):
        MultiHeadAttention(100, 8)


@pytest.mark.parametrize("padded", [False, True])
def test_fused_attention_equals_the_naive_formula(padded: bool) -> None:
    attention, x = MultiHeadAttention(32, 4).eval(), torch.randn(2, 7, 32)
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[1, 4:] = not padded
    fused = attention(x, mask[:, None, None, :])
    torch.testing.assert_close(fused, naive(attention, x, mask), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("n_layers", "blind"), [(1, True), (2, False), (3, False)])
def test_a_causal_mask_leaks_order_from_the_second_layer_on(n_layers: int, blind: bool) -> None:
    torch.manual_seed(1)
    config = ModelConfig(vocab_size=9, d_model=32, n_heads=4, d_ff=64, positions="none", dropout=0.0)
    blocks = [EncoderBlock(config).eval() for _ in range(n_layers)]
    causal = torch.ones(6, 6, dtype=torch.bool).tril()[None, None]
    x = torch.randn(1, 6, 32)
    swapped = x[:, [2, 0, 1, 4, 3, 5]]  # the last token stays last
    last = []
    with torch.inference_mode():
        for states in (x, swapped):
            for block in blocks:
                states = block(states, causal, None)
            last.append(states[:, -1])
    assert (float((last[0] - last[1]).abs().max()) < 1e-6) is blind
