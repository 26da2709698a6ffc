from __future__ import annotations

import torch

from tests.tiny import tiny_network, tiny_tokenizer
from training.batches import collate, encode
from training.data import Mail
from training.standardise import standardise_output

MAILS = [Mail(text, "other") for text in ("refund the cake please", "the fee back", "my money and the shop", "not fee")]


def test_output_features_are_centred_and_scaled_and_earlier_layers_are_left_alone() -> None:
    network, tokenizer = tiny_network(), tiny_tokenizer()
    with torch.no_grad():  # small features around a common direction, as the pretrained network's are
        network.blocks[-1].feed_forward_norm.weight.mul_(0.1)
        network.blocks[-1].feed_forward_norm.bias.add_(3.0)
    batch = collate(encode(MAILS, tokenizer, network.config), network.config.pad_id)
    before = network.eval().hidden_states(batch.token_ids, batch.position_ids, batch.padding_mask)
    standardise_output(network, tokenizer, MAILS)
    after = network.hidden_states(batch.token_ids, batch.position_ids, batch.padding_mask)
    features = after[-1][batch.padding_mask]
    torch.testing.assert_close(features.mean(dim=0), torch.zeros(32), atol=1e-4, rtol=0)
    torch.testing.assert_close(features.std(dim=0), torch.ones(32), atol=1e-3, rtol=0)
    for earlier, same in zip(before[:-1], after[:-1], strict=True):
        assert torch.equal(earlier, same)
