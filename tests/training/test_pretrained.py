from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from training.packed import PackedFileError, PackedModel
from training.pretrained import Start, packed_model

TEXTS = ["Refund the delivery fee, not the cake.", "Bitte erstatten Sie die Versandkosten, nicht den Kuchen."]


@pytest.fixture(scope="module")
def start() -> Start:
    return Start.over(TEXTS, words_a_language=5_000)


def test_the_pretrained_layer_in_our_network_gives_the_vectors_that_its_weights_define(start: Start) -> None:
    """One block of BERT written out from the package's own tensors, beside ours."""
    packed, network = packed_model(), start.network("learned", dropout=0.0).eval()
    ids = torch.tensor([[2, *start.tokenizer.encode(TEXTS)[0].ids.tolist(), 3]])
    tokens = ids.shape[1]

    def read(name: str, *shape: int) -> torch.Tensor:
        return torch.from_numpy(packed.tensor(name).reshape(shape))

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (384,), read(f"{name}.w", 384), read(f"{name}.b", 384), 1e-12)

    def linear(x: torch.Tensor, name: str, wide: int = 384) -> torch.Tensor:
        return x @ read(f"{name}.w", wide, x.shape[-1]).T + read(f"{name}.b", wide)

    pieces = start.tokenizer.encode(TEXTS)[0].ids.tolist()
    theirs = {piece: i for i, piece in enumerate(packed.pieces)}
    vocabulary = [start.tokenizer.piece(i) for i in pieces]
    rows = [packed.begin_id, *(theirs[piece] for piece in vocabulary), packed.end_id]
    words, positions = read("emb.word", -1, 384)[rows], read("emb.pos", -1, 384)[:tokens]
    x = norm((words + positions + read("emb.type", -1, 384)[0])[None], "emb.ln")
    heads = [linear(x, f"l0.{n}").view(1, tokens, 12, 32).transpose(1, 2) for n in "qkv"]
    mixed = torch.softmax(heads[0] @ heads[1].transpose(-1, -2) / 32**0.5, -1) @ heads[2]
    x = norm(x + linear(mixed.transpose(1, 2).reshape(1, tokens, 384), "l0.ao"), "l0.aln")
    wide = torch.nn.functional.gelu(linear(x, "l0.fi", 1536))
    x = norm(x + linear(wide, "l0.fo"), "l0.oln")
    with torch.inference_mode():
        ours = network.hidden_states(ids, torch.arange(tokens)[None], torch.ones_like(ids, dtype=torch.bool))[1]
    torch.testing.assert_close(ours, x, atol=1e-4, rtol=1e-3)


def test_the_same_request_in_another_language_lies_nearer_than_another_matter(start: Start) -> None:
    network = start.network("learned", dropout=0.0).eval()

    def vector(text: str) -> torch.Tensor:
        ids = torch.tensor([[2, *start.tokenizer.encode([text])[0].ids.tolist(), 3]])
        states = network.hidden_states(ids, torch.arange(ids.shape[1])[None], torch.ones_like(ids, dtype=torch.bool))
        return torch.nn.functional.normalize(states[-1].mean(1), dim=-1)[0]

    with torch.inference_mode():
        english, german, other = map(vector, (TEXTS[0], TEXTS[1], "The weather is lovely in the hills today."))
    assert float(english @ german) > float(english @ other)


def test_words_are_spelt_from_the_kept_pieces_with_their_places_in_the_text(start: Start) -> None:
    text = "Zurück: die Überweisungsgebühr,\n\nnot  the żółć 😡"
    (tokens,) = start.tokenizer.encode([text])
    assert tokens.unknown_ratio == 0.0
    covered = {i for begin, end in tokens.offsets.tolist() for i in range(begin, end)}
    assert all(i in covered for i, character in enumerate(text) if not character.isspace())
    assert start.tokenizer.vocab_size == start.shape.vocab_size <= 32_000


def test_four_bit_blocks_are_low_halves_then_high_halves_times_their_scale() -> None:
    packed = packed_model()
    flat = packed.tensor("l0.q.w")
    assert flat.shape == (384 * 384,)
    block = flat[:32]
    steps = block / np.abs(block[block != 0]).min()
    assert np.allclose(steps, steps.round(), atol=1e-3)  # one scale a block, whole steps of it
    assert len(np.unique(block)) <= 16


@pytest.mark.parametrize("cut", [3, 40, 4_000_000])
def test_a_file_cut_short_is_refused_by_name(cut: int, tmp_path: Path) -> None:
    (tmp_path / "broken.bin").write_bytes(packed_model()._data[:cut])
    with pytest.raises(PackedFileError, match=r"broken\.bin"):
        PackedModel(tmp_path / "broken.bin")
