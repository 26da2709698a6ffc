"""Give new heads features of mean 0 and deviation 1: the pretrained last layer's are small and share one direction."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import cast

import torch

from model.network import EmailEncoder, EncoderBlock
from model.tokenizer import MailTokenizer
from training.batches import batches, encode
from training.data import Mail

SAMPLED_MAILS = 256
TOKENS_A_STEP = 2_048


@torch.no_grad()
def standardise_output(network: EmailEncoder, tokenizer: MailTokenizer, mails: Sequence[Mail]) -> None:
    """Fold each output feature's mean and deviation over the mails' tokens into the last layer norm, in place.

    Only the heads read that norm's output, so a whole change of its gain and bias changes nothing else.
    """
    rng = random.Random(0)
    sample = rng.sample(list(mails), min(SAMPLED_MAILS, len(mails)))
    network.eval()
    tokens = []
    for batch in batches(encode(sample, tokenizer, network.config), network.config.pad_id, TOKENS_A_STEP, rng):
        states = network.hidden_states(batch.token_ids, batch.position_ids, batch.padding_mask)
        tokens.append(states[-1][batch.padding_mask])  # (tokens, D)
    features = torch.cat(tokens)
    norm = cast(EncoderBlock, network.blocks[-1]).feed_forward_norm
    deviation = features.std(dim=0).clamp_min(1e-6)
    norm.weight.div_(deviation)
    norm.bias.copy_((norm.bias - features.mean(dim=0)) / deviation)
