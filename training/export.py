"""Write a model folder: weights once, in safetensors, and an ONNX graph that reads them from there.

The graph takes token_ids, position_ids (int64) and padding_mask (bool), each (batch, tokens), and gives
label_logits and pool_logsumexp (batch, labels) and role_logits (batch, tokens, roles).
"""

from __future__ import annotations

import json
import logging
import shutil
import struct
import tempfile
import warnings
from pathlib import Path

import onnx
import torch
from onnx import TensorProto, helper

from model.checkpoint import Card, write_card, write_manifest
from model.network import EmailEncoder
from model.weights import SCALE_SUFFIX, Precision, save_weights

ONNX_TYPES = {"F32": TensorProto.FLOAT, "F16": TensorProto.FLOAT16, "I8": TensorProto.INT8}
WEIGHTS = "weights.safetensors"


def trace(network: EmailEncoder) -> onnx.ModelProto:
    """The network as an ONNX graph with its weights inside, named as in the state dict."""
    tokens = torch.tensor([[2, 3, 4, 5], [2, 3, 4, 0]])
    positions = torch.arange(4).expand(2, 4).contiguous()
    axes = {0: torch.export.Dim.AUTO, 1: torch.export.Dim.AUTO}
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of its own internals
        program = torch.onnx.export(
            network.eval(),
            (tokens, positions, tokens > 0),
            input_names=["token_ids", "position_ids", "padding_mask"],
            output_names=["label_logits", "pool_logsumexp", "role_logits"],
            dynamic_shapes=(axes, axes, axes),
            dynamo=True,
            optimize=False,  # it would merge weights that happen to be equal; ONNX Runtime optimizes when it loads
            verbose=False,
        )
    assert program is not None
    return program.model_proto


def safetensors_layout(path: Path) -> dict[str, tuple[int, int, int, list[int]]]:
    """Where each tensor lies: name → ONNX data type, offset in the file, length in bytes, shape."""
    with path.open("rb") as stream:
        (header_bytes,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(header_bytes))
    layout: dict[str, tuple[int, int, int, list[int]]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        layout[name] = (ONNX_TYPES[entry["dtype"]], 8 + header_bytes + begin, end - begin, entry["shape"])
    return layout


def external_tensor(name: str, place: tuple[int, int, int, list[int]]) -> TensorProto:
    """An initializer whose bytes are those of the safetensors file beside the graph."""
    data_type, offset, length, shape = place
    tensor = TensorProto(name=name, data_type=data_type, dims=shape, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", WEIGHTS), ("offset", str(offset)), ("length", str(length))):
        tensor.external_data.add(key=key, value=value)
    return tensor


def read_weights_from_file(model: onnx.ModelProto, weights: Path) -> None:
    """Replace the graph's own copies of the weights by references into the file, widened to float32 there.

    ONNX Runtime folds the widening when it loads the graph, so that it costs nothing a mail.
    """
    layout = safetensors_layout(weights)
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in layout]
    traced = {tensor.name for tensor in model.graph.initializer}
    widening = []
    for name, place in layout.items():
        if name.endswith(SCALE_SUFFIX):
            kept.append(external_tensor(name, place))
            continue
        if name not in traced:
            raise ValueError(f"the traced graph lost the weight {name}")
        if place[0] == TensorProto.FLOAT:
            kept.append(external_tensor(name, place))
            continue
        stored, scaled = name + ".stored", name + SCALE_SUFFIX in layout
        kept.append(external_tensor(stored, place))
        wide = name + ".unscaled" if scaled else name
        widening.append(helper.make_node("Cast", [stored], [wide], to=TensorProto.FLOAT))
        if scaled:
            widening.append(helper.make_node("Mul", [wide, name + SCALE_SUFFIX], [name]))
    nodes = [*widening, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    del model.graph.value_info[:]  # shapes of intermediates and the tracer's notes: a megabyte that no reader needs
    for node in model.graph.node:
        del node.metadata_props[:]


def export(network: EmailEncoder, tokenizer_json: str, card: Card, target: Path, precision: Precision) -> None:
    """Write a whole model folder beside the target, then put it in the target's place.

    Raises FileExistsError where the target exists: a model folder is never overwritten.
    """
    if target.exists():
        raise FileExistsError(f"{target} exists; a model folder is never overwritten, name another")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        folder = Path(scratch) / "model"
        folder.mkdir()
        (folder / "tokenizer.json").write_text(tokenizer_json, encoding="utf-8")
        save_weights(network, folder / WEIGHTS, precision)
        graph = trace(network)
        read_weights_from_file(graph, folder / WEIGHTS)
        onnx.save_model(graph, folder / "model.onnx")
        write_card(folder, card)
        write_manifest(folder, network.config)
        shutil.move(folder, target)
