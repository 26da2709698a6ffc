from __future__ import annotations

import pytest
import torch

from training.ablation import Budget, Data, Trial, fit, head_drops, logits_of, make_data, make_network, run_trial
from training.ablation_page import render_ablation
from training.data import Mail
from training.markup import parse

BUDGET = Budget(mails=600, frames=2, steps=250, batch=32, pairs=30, d_model=32, seeds=1)


def marked(label: str, text: str) -> Mail:
    words, spans = parse(text)
    return Mail(words, label, spans)


@pytest.fixture(scope="module")
def data() -> Data:
    fees = [marked("refund_fee", f"the [refund:{fee}] back") for fee in ("delivery fee", "tip", "tax")]
    items = [marked("refund_item", f"the [refund:{item}] back") for item in ("cake", "mug", "lamp")]
    return make_data(BUDGET, fees + items)


def test_pairs_are_one_bag_of_words_and_grow_to_the_asked_lengths(data: Data) -> None:
    for factor, pairs in data.pairs.items():
        assert all(sorted(a) == sorted(b) for a, b in pairs)
        assert max(len(a) for a, _ in pairs) <= factor * data.longest
    assert min(len(a) for a, _ in data.pairs[4]) > 2 * data.longest


def test_without_positions_both_members_get_the_same_answer_and_with_rope_they_are_told_apart(data: Data) -> None:
    blind = run_trial(Trial("none", 4, 2, 0), BUDGET, data)
    assert blind["lengths"]["1"]["order_gap"] < 1e-5
    assert blind["lengths"]["1"]["both_right"] == 0.0
    reads = run_trial(Trial("rope", 4, 2, 0), BUDGET, data)
    assert reads["lengths"]["1"]["both_right"] > 0.5


@pytest.mark.parametrize("positions", ["number", "ratio", "learned", "sinusoidal", "rope"])
def test_every_scheme_is_moved_by_order(positions: str, data: Data) -> None:
    torch.manual_seed(0)
    network = make_network(Trial(positions, 4, 1, 0), BUDGET, data).eval()  # type: ignore[arg-type]
    (first, second), *_ = data.pairs[1]
    assert not torch.allclose(*logits_of(network, [first, second]), atol=1e-6)


def test_dropping_heads_one_by_one_leaves_the_network_as_it_was(data: Data) -> None:
    torch.manual_seed(0)
    network = make_network(Trial("rope", 4, 2, 0), BUDGET, data)
    fit(network, BUDGET, data, seed=0)
    rows = [a for a, _ in data.pairs[1]]
    before = logits_of(network, rows)
    drops = head_drops(network, data.pairs[1])
    assert [(row["layer"], row["head"]) for row in drops] == [(layer, head) for layer in (0, 1) for head in range(4)]
    assert torch.equal(before, logits_of(network, rows))


def test_the_page_names_every_scheme_and_holds_its_plots() -> None:
    figures = {"accuracy": 0.9, "both_right": 0.8, "both_same": 0.1, "order_gap": 0.7}
    trials = [
        {
            "positions": positions,
            "n_heads": heads,
            "n_layers": layers,
            "seed": 0,
            "parameters": 1234,
            "lengths": {"1": figures, "2": figures, "4": figures},
        }
        for positions in ("none", "number", "ratio", "learned", "sinusoidal", "rope")
        for heads in (1, 4, 8)
        for layers in (1, 2)
    ]
    trials[-1]["head_drops"] = [{"layer": 0, "head": 0, **figures, "both_right": 0.3}]
    budget = {"d_model": 32, "mails": 600, "steps": 1, "batch": 32, "pairs": 30, "seeds": 1, "frames": 2}
    page = render_ablation({"budget": budget, "longest_training_mail_tokens": 31, "trials": trials})
    assert page.count("<svg") == 3
    for name in ("raw number", "number over length", "sinusoidal", "RoPE"):
        assert f"<td>{name}</td>" in page
    assert "<td>50.0</td>" in page  # 0.8 with all heads, 0.3 without the dropped one
