"""A network's weights as one safetensors file, which the ONNX graph beside it reads too.

Matrices are stored as float32, float16 or int8 with one float32 scale a row; vectors always as float32.
Both readers widen them to float32, so they compute with the same numbers. This file needs torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from model.checkpoint import ModelFolderError, read_model_folder
from model.network import EmailEncoder

Precision = Literal["float32", "float16", "int8"]
SCALE_SUFFIX = ".scale"


def quantize_rows(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """float (rows, columns) → int8 of the same shape and float32 (rows, 1): matrix ≈ int8 * scale."""
    scale = matrix.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127.0
    return (matrix / scale).round().clamp(-127, 127).to(torch.int8), scale.float()


def pack(state: dict[str, Tensor], precision: Precision) -> dict[str, Tensor]:
    """The tensors as they are stored."""
    packed: dict[str, Tensor] = {}
    for name, tensor in state.items():
        matrix = tensor.detach().float().contiguous()
        if matrix.ndim < 2 or precision == "float32":
            packed[name] = matrix
        elif precision == "float16":
            packed[name] = matrix.half()
        elif precision == "int8":
            packed[name], packed[name + SCALE_SUFFIX] = quantize_rows(matrix)
        else:
            raise ValueError(f"precision {precision!r} is none of {', '.join(get_args(Precision))}")
    return packed


def unpack(packed: dict[str, Tensor]) -> dict[str, Tensor]:
    """The stored tensors widened to float32, ready for load_state_dict."""
    state: dict[str, Tensor] = {}
    for name, tensor in packed.items():
        if name.endswith(SCALE_SUFFIX):
            continue
        scale = packed.get(name + SCALE_SUFFIX)
        state[name] = tensor.float() if scale is None else tensor.float() * scale
    return state


def save_weights(network: nn.Module, path: Path, precision: Precision) -> None:
    save_file(pack(network.state_dict(), precision), path)


def load_network(folder: Path) -> EmailEncoder:
    """Rebuild the torch network of a model folder, strictly: every tensor, no other, each in shape."""
    read = read_model_folder(folder)
    network = EmailEncoder(read.config)
    try:
        network.load_state_dict(unpack(load_file(folder / "weights.safetensors")), strict=True)
    except (SafetensorError, RuntimeError) as error:
        raise ModelFolderError(folder / "weights.safetensors", f"does not fit config.json: {error}") from error
    return network.eval()
