"""A network and a vocabulary small enough to make in a test."""

from __future__ import annotations

import string

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from model.config import ModelConfig, PositionScheme
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer

WORDS = ("refund", "the", "delivery", "fee", "not", "cake", "please", "back", "my", "shop", "and", "want", "money")


def tiny_tokenizer() -> MailTokenizer:
    letters = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters), *WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return MailTokenizer(tokenizer)


def tiny_network(
    positions: PositionScheme = "rope", *, seed: int = 0, max_len: int = 32, n_layers: int = 2
) -> EmailEncoder:
    torch.manual_seed(seed)
    config = ModelConfig(
        vocab_size=tiny_tokenizer().vocab_size,
        d_model=32,
        n_heads=4,
        n_layers=n_layers,
        d_ff=64,
        max_len=max_len,
        positions=positions,
        dropout=0.0,
    )
    network = EmailEncoder(config)
    with torch.no_grad():  # larger than at the start of training, so that differences show
        for name, parameter in network.named_parameters():
            if parameter.ndim == 2 and "embed" not in name:
                parameter.mul_(8.0)
    return network.eval()
