from __future__ import annotations

import pytest
import torch
from torch import Tensor

from model.config import POSITION_SCHEMES, ModelConfig, PositionScheme
from model.network import EmailEncoder, EncoderOutput
from tests.tiny import tiny_network


def run(network: EmailEncoder, ids: Tensor, mask: Tensor | None = None) -> EncoderOutput:
    mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
    with torch.inference_mode():
        return network(ids, torch.arange(ids.shape[1]).expand_as(ids), mask)


IDS = torch.tensor([[2, 10, 14, 20, 31, 40, 3]])
ORDER = [0, 4, 2, 5, 1, 3, 6]


def test_without_positions_shuffled_tokens_give_shuffled_outputs_and_one_pooled_answer() -> None:
    network = tiny_network("none")
    straight, shuffled = run(network, IDS), run(network, IDS[:, ORDER])
    torch.testing.assert_close(shuffled.role_logits, straight.role_logits[:, ORDER], atol=1e-5, rtol=0)
    torch.testing.assert_close(shuffled.label_logits, straight.label_logits, atol=1e-5, rtol=0)


@pytest.mark.parametrize("positions", [scheme for scheme in POSITION_SCHEMES if scheme != "none"])
def test_with_any_positions_the_order_changes_the_answer(positions: PositionScheme) -> None:
    network = tiny_network(positions)
    moved = run(network, IDS).label_logits - run(network, IDS[:, ORDER]).label_logits
    assert float(moved.abs().max()) > 1e-3


@pytest.mark.parametrize("positions", POSITION_SCHEMES)
def test_padding_never_changes_an_answer(positions: PositionScheme) -> None:
    network = tiny_network(positions)
    padded = torch.cat([IDS, torch.full((1, 9), 7)], dim=1)  # the filler is a real word, to show that it is not read
    mask = torch.arange(16).unsqueeze(0) < 7
    alone, beside = run(network, IDS), run(network, padded, mask)
    torch.testing.assert_close(beside.label_logits, alone.label_logits, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(beside.role_logits[:, :7], alone.role_logits, atol=1e-5, rtol=1e-5)


def test_windows_joined_by_their_log_sums_equal_pooling_over_both() -> None:
    head = tiny_network().label_head
    x, mask = torch.randn(1, 12, 32), torch.ones(1, 12, dtype=torch.bool)
    whole, _ = head(x, mask)
    parts = [head(x[:, :5], mask[:, :5]), head(x[:, 5:], mask[:, 5:])]
    weights = torch.softmax(torch.stack([logsumexp for _, logsumexp in parts]), dim=0)
    joined = (weights * torch.stack([logits for logits, _ in parts])).sum(0)
    torch.testing.assert_close(joined, whole)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"d_model": 100, "n_heads": 8}, "d_model 100 is not divisible by n_heads 8"),
        ({"d_model": 36, "n_heads": 12}, "head_dim 3 must be even"),
        ({"positions": "alibi"}, "'alibi' is none of none, learned"),
        ({"max_len": 4}, "max_len 4 is under 8"),
        ({"pad_id": 50}, "pad_id 50 is outside"),
        ({"labels": ("a", "a")}, "at least two different words"),
    ],
)
def test_a_contradictory_config_is_refused_with_its_numbers(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ModelConfig(vocab_size=50, **fields)
