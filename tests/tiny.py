"""A network and a vocabulary small enough to make in a test."""

from __future__ import annotations

import json
import string
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from model.checkpoint import Card
from model.classifier import Classifier
from model.config import ModelConfig, PositionScheme
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer
from training.data import Mail
from training.export import export
from training.loop import Trainer, TrainingConfig
from training.markup import parse

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


def marked(label: str, text: str) -> Mail:
    bare, spans = parse(text)
    return Mail(bare, label, spans)


CONTRASTS = [
    marked("refund_fee", "refund the [refund:delivery fee], not the [keep:cake]"),
    marked("refund_item", "refund the [refund:cake], not the [keep:delivery fee]"),
    marked("refund_fee", "please refund the [refund:fee] back, not the [keep:order]"),
    marked("refund_item", "please refund the [refund:order] back, not the [keep:fee]"),
]
TRAINING = TrainingConfig(
    epochs=30,
    patience=30,
    tokens_a_step=256,
    body_learning_rate=3e-3,
    head_learning_rate=3e-3,
    average_decay=0.8,
    generated_ratio=0.0,
    exchange_ratio=0.0,
    substitute_ratio=0.0,
    label_smoothing=0.0,
)


def tiny_corpus(place: Path, splits: dict[str, str]) -> Path:
    """A corpus of CONTRASTS by each writer; splits: writer → split."""
    (place / "hand").mkdir(parents=True)
    rows = [json.dumps({"label": mail.label, "text": mail.text}) for mail in CONTRASTS]
    entries = [f'[{writer}]\nsplit = "{split}"\nabout = "contrasts"\n' for writer, split in splits.items()]
    (place / "writers.toml").write_text("".join(entries))
    for writer in splits:
        (place / f"hand/{writer}.jsonl").write_text("\n".join(rows) + "\n")
    return place


def train_tiny(positions: PositionScheme, folder: Path) -> Classifier:
    """A tiny network taught the contrasts, as a model folder that is served."""
    network, tokenizer = tiny_network(positions, max_len=256), tiny_tokenizer()  # one window: between two, order shows
    Trainer(network, tokenizer, CONTRASTS * 6, CONTRASTS, TRAINING).run()
    export(network, tokenizer.to_json(), Card(positions), folder / "model", "float32")
    return Classifier(folder / "model")
