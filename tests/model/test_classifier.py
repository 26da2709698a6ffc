from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from model.checkpoint import Card, rewrite_card
from model.classifier import MAX_TOKENS, Classifier, softmax
from model.config import POSITION_SCHEMES, PositionScheme
from model.weights import Precision, load_network
from tests.tiny import tiny_network, tiny_tokenizer
from training.export import export

STORY = ["Refund the delivery fee, not the cake.", "Refund the cake, not the delivery fee."]


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
@pytest.mark.parametrize("positions", POSITION_SCHEMES)
def test_onnx_and_torch_agree_on_probabilities(positions: PositionScheme, precision: Precision, tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    export(tiny_network(positions), tokenizer.to_json(), Card("t"), tmp_path / "model", precision)
    classifier, network = Classifier(tmp_path / "model"), load_network(tmp_path / "model")
    for text in STORY:
        ids = torch.tensor([[tokenizer.cls_id, *tokenizer.encode([text])[0].ids, tokenizer.sep_id]])
        with torch.inference_mode():
            output = network(ids, torch.arange(ids.shape[1])[None], torch.ones_like(ids, dtype=torch.bool))
        np.testing.assert_allclose(
            classifier.predict_proba([text])[0], softmax(output.label_logits.numpy())[0], atol=1e-4
        )


def test_released_model_agrees_with_torch(released: Classifier) -> None:
    from service.settings import released_model

    network, tokenizer = load_network(released_model()), released.tokenizer
    for text in STORY:
        ids = torch.tensor([[tokenizer.cls_id, *tokenizer.encode([text])[0].ids, tokenizer.sep_id]])
        with torch.inference_mode():
            output = network(ids, torch.arange(ids.shape[1])[None], torch.ones_like(ids, dtype=torch.bool))
        expected = softmax(output.label_logits.numpy() / released.card.temperatures(ids.shape[1] - 2))[0]
        np.testing.assert_allclose(released.predict_proba([text])[0], expected, atol=1e-4)


def test_a_card_can_make_long_mails_less_sure_and_short_ones_surer(tiny_folder: Path, tmp_path: Path) -> None:
    texts = ["refund " * 15, "refund " * 30, "refund " * 60]
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "model"))
    before = Classifier(folder)
    rewrite_card(folder, before.config, replace(before.card, length_exponent=0.5))
    after = Classifier(folder)
    was, now = (classifier.predict_proba(texts).max(axis=1) for classifier in (before, after))
    assert now[0] > was[0]
    assert now[1] == pytest.approx(was[1], rel=1e-5)
    assert now[2] < was[2]
    assert [prediction.confidence for prediction in after.predict(texts)] == pytest.approx(now, rel=1e-5)
    explained = after.explainer.read(after.explainer.split(texts[0]))
    assert explained.confidence == pytest.approx(now[0], abs=1e-3)


@pytest.mark.parametrize("words", [1, 29, 30, 31, 129, 513, 20_000])
def test_a_mail_of_any_length_is_read(tiny_classifier: Classifier, words: int) -> None:
    prediction = tiny_classifier.predict(["refund " * words])[0]
    assert prediction.n_tokens == words
    assert not prediction.truncated
    assert sum(prediction.probabilities.values()) == pytest.approx(1.0, abs=1e-5)


def test_a_mail_past_the_limit_says_that_it_was_truncated(tiny_classifier: Classifier) -> None:
    assert tiny_classifier.predict(["refund " * (MAX_TOKENS + 1)])[0].truncated


def test_the_end_of_a_long_mail_changes_its_answer(tiny_classifier: Classifier) -> None:
    start = "please the shop and " * 40
    without, with_end = tiny_classifier.predict_proba([start, start + "refund the cake not the delivery fee"])
    assert float(abs(without - with_end).max()) > 1e-4


def test_a_batch_reads_each_mail_as_if_it_were_alone(tiny_classifier: Classifier) -> None:
    texts = [*STORY, "", "money " * 70, "😀" * 50, "refund"]
    together = tiny_classifier.predict_proba(texts)
    alone = np.concatenate([tiny_classifier.predict_proba([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_positions_off_makes_every_order_the_same(tiny_classifier: Classifier) -> None:
    blind = tiny_classifier.predict_proba(STORY, positions=False)
    sighted = tiny_classifier.predict_proba(STORY)
    assert float(abs(blind[0] - blind[1]).max()) < 1e-5
    assert float(abs(sighted[0] - sighted[1]).max()) > 1e-3


@pytest.mark.parametrize(
    "text",
    ["", " ", "\u202eesrever\u202c", "😀" * 10_000, "a\0b", "ÿ" * 300, "中文退款" * 50, "\r\n\t"],
)
def test_odd_text_is_read_without_a_crash(tiny_classifier: Classifier, text: str) -> None:
    assert tiny_classifier.predict([text])[0].label in tiny_classifier.classes


def test_a_lone_surrogate_is_refused_with_its_place(tiny_classifier: Classifier) -> None:
    with pytest.raises(ValueError, match="text 1: a lone surrogate at character 2"):
        tiny_classifier.predict(["fine", "ab\ud800"])


def test_spans_are_offsets_into_the_text(released: Classifier) -> None:
    text = "Dear shop,\n\nPlease refund the delivery fee, not the cake.\n\nMina"
    for span in released.predict([text])[0].spans:
        assert text[span.start : span.end] == span.text


def test_the_graph_runner_keeps_no_telemetry(tiny_folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from model.classifier import Classifier; Classifier(Path(sys.argv[1]))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    command = [sys.executable, "-c", code, str(tiny_folder)]
    subprocess.run(command, check=True, env={**environment, "HOME": str(tmp_path), "XDG_CACHE_HOME": ""})
    assert not (tmp_path / ".cache").exists()
