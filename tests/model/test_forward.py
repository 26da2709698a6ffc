from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch

from model.checkpoint import Card
from model.classifier import Classifier
from model.config import POSITION_SCHEMES, PositionScheme
from model.forward import erf
from model.network import EmailEncoder
from model.weights import Precision, load_network
from tests.tiny import tiny_network, tiny_tokenizer
from training.export import export

TEXT = "Refund the delivery fee, not the cake."


def attention_of(network: EmailEncoder, ids: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Torch's own attention, block by block: (layers, heads, tokens, tokens)."""
    token_ids, position_ids = torch.from_numpy(ids)[None], torch.from_numpy(positions)[None]
    mask = torch.ones_like(token_ids, dtype=torch.bool)
    states = network.hidden_states(token_ids, position_ids, mask)
    rotation = network.rotary(position_ids) if network.rotary is not None else None
    blocks = zip(network.blocks, states[:-1], strict=True)
    return np.stack([block.attention.weights(x, None, rotation)[0].detach().numpy() for block, x in blocks])  # type: ignore[union-attr]


def test_erf_is_right_to_a_millionth() -> None:
    x = np.linspace(-5, 5, 2_001, dtype=np.float32)
    assert np.abs(erf(x) - torch.erf(torch.from_numpy(x)).numpy()).max() < 1e-6


@pytest.mark.parametrize(("scheme", "precision"), [*((s, "float32") for s in POSITION_SCHEMES), ("rope", "int8")])
def test_numpy_torch_and_onnx_agree(scheme: PositionScheme, precision: Precision, tmp_path: Path) -> None:
    export(tiny_network(scheme), tiny_tokenizer().to_json(), Card("t"), tmp_path / "model", precision)
    classifier = Classifier(tmp_path / "model")
    network = load_network(tmp_path / "model")
    explainer = classifier.explainer
    broken = explainer.split(TEXT)
    for positions in (True, False):
        reading = explainer.read(broken, positions=positions)
        served = classifier.predict([TEXT], positions=positions)[0]
        assert reading.probabilities == pytest.approx(served.probabilities, abs=1e-4)
        assert [(s.role, s.start, s.end) for s in reading.spans] == [(s.role, s.start, s.end) for s in served.spans]
        ids = np.array([explainer.tokenizer.cls_id, *broken.ids, explainer.tokenizer.sep_id])
        position_ids = np.arange(len(ids)) if positions else np.zeros_like(ids)
        with torch.inference_mode():
            expected = attention_of(network, ids, position_ids)
        assert np.abs(reading.attention - expected).max() < 1e-4


def test_with_positions_off_every_order_of_the_tokens_gives_the_very_same_bits(tiny_classifier: Classifier) -> None:
    explainer = tiny_classifier.explainer
    broken = explainer.split("refund the fee not cake")
    answers = {
        explainer.network.forward(np.array(ids), np.zeros(len(ids), dtype=np.int64)).label_logits.tobytes()
        for ids in itertools.permutations(broken.ids)
    }
    assert len(answers) == 1
    with_positions = {
        explainer.network.forward(np.array(ids), np.arange(len(ids))).label_logits.tobytes()
        for ids in itertools.permutations(broken.ids)
    }
    assert len(with_positions) == 120


def test_the_served_graph_with_positions_off_is_as_blind_up_to_rounding(tiny_classifier: Classifier) -> None:
    """The NumPy pass is not blind because it sorts: the graph, which does not, differs by rounding alone."""
    texts = ["refund the fee not cake", "cake not fee the refund", "the cake refund not fee"]
    found = tiny_classifier.predict_proba(texts, positions=False)
    assert np.abs(found - found[0]).max() < 1e-5


def test_a_head_switched_off_is_the_network_without_its_columns(tiny_folder: Path) -> None:
    network, classifier = load_network(tiny_folder), Classifier(tiny_folder)
    width = network.config.head_dim
    with torch.no_grad():
        network.blocks[1].attention.proj.weight[:, 2 * width : 3 * width] = 0  # type: ignore[union-attr,index]
    broken = classifier.explainer.split(TEXT)
    off = classifier.explainer.read(broken, heads_off=[(1, 2)])
    on = classifier.explainer.read(broken)
    ids = torch.tensor([[classifier.tokenizer.cls_id, *broken.ids, classifier.tokenizer.sep_id]])
    with torch.inference_mode():
        logits = network(ids, torch.arange(ids.shape[1])[None], torch.ones_like(ids, dtype=torch.bool)).label_logits[0]
    expected = dict(zip(network.config.labels, torch.softmax(logits, 0).tolist(), strict=True))
    assert off.probabilities == pytest.approx(expected, abs=1e-4)
    assert off.probabilities != pytest.approx(on.probabilities, abs=1e-3)
