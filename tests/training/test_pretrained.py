from __future__ import annotations

import torch
from safetensors.torch import load_file

from training import pretrained


def test_minilm_in_our_network_gives_the_vectors_that_its_weights_define() -> None:
    """One block of BERT written out from the package's own tensors, beside ours."""
    network = pretrained.load_minilm("learned", dropout=0.0).eval()
    tensors = load_file(pretrained.package_file("model.safetensors"))
    ids, positions = torch.tensor([[101, 25416, 8630, 1996, 7408, 102]]), torch.arange(6)[None]

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (384,), tensors[f"{name}.weight"], tensors[f"{name}.bias"], 1e-12)

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    x = tensors["embeddings.word_embeddings.weight"][ids] + tensors["embeddings.position_embeddings.weight"][positions]
    x = norm(x + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    layer = "encoder.layer.0."
    heads = [
        linear(x, f"{layer}attention.self.{n}").view(1, 6, 12, 32).transpose(1, 2) for n in ("query", "key", "value")
    ]
    mixed = torch.softmax(heads[0] @ heads[1].transpose(-1, -2) / 32**0.5, -1) @ heads[2]
    mixed = linear(mixed.transpose(1, 2).reshape(1, 6, 384), f"{layer}attention.output.dense")
    x = norm(x + mixed, f"{layer}attention.output.LayerNorm")
    wide = torch.nn.functional.gelu(linear(x, f"{layer}intermediate.dense"))
    x = norm(x + linear(wide, f"{layer}output.dense"), f"{layer}output.LayerNorm")
    with torch.inference_mode():
        ours = network.hidden_states(ids, positions, torch.ones_like(ids, dtype=torch.bool))[1]
    torch.testing.assert_close(ours, x, atol=1e-5, rtol=1e-4)
