from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.tiny import CONTRASTS, TRAINING, tiny_network, tiny_tokenizer
from training.augment import augment
from training.loop import Trainer

MAILS = CONTRASTS * 6


def test_a_network_with_positions_learns_the_order_and_one_without_cannot() -> None:
    accuracy = {}
    for positions in ("rope", "none"):
        trainer = Trainer(tiny_network(positions), tiny_tokenizer(), MAILS, MAILS[:4], TRAINING)
        accuracy[positions] = max(report.label_accuracy for report in trainer.run())
    assert accuracy == {"rope": 1.0, "none": 0.5}


def test_a_killed_run_goes_on_and_ends_with_the_same_weights(tmp_path: Path) -> None:
    config = replace(TRAINING, epochs=4)

    def make(state: Path | None) -> Trainer:
        return Trainer(tiny_network(), tiny_tokenizer(), MAILS, MAILS[:4], config, state_file=state)

    class Killed(Exception):
        pass

    def kill(epoch: int, step: int, *_: object) -> None:
        if (epoch, step) == (2, 2):
            raise Killed

    whole = make(None)
    whole.run()
    with pytest.raises(Killed):
        make(tmp_path / "state.pt").run(kill)
    resumed = make(tmp_path / "state.pt")
    resumed.run()
    assert len(resumed.reports) == 4
    for name, tensor in whole.network.state_dict().items():
        torch.testing.assert_close(resumed.network.state_dict()[name], tensor)


def test_a_state_of_another_recipe_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.pt"
    config = replace(TRAINING, epochs=1)
    Trainer(tiny_network(), tiny_tokenizer(), MAILS, MAILS[:4], config, state_file=state).run()
    other = replace(config, seed=5)
    with pytest.raises(ValueError, match="belongs to a run with other settings"):
        Trainer(tiny_network(), tiny_tokenizer(), MAILS, MAILS[:4], other, state_file=state).run()
    with pytest.raises(ValueError, match="or mails"):
        Trainer(tiny_network(), tiny_tokenizer(), MAILS, MAILS[:4], config, state_file=state, identity="more").run()


def test_a_run_that_stops_improving_ends_early() -> None:
    config = replace(TRAINING, patience=2, body_learning_rate=0.0, head_learning_rate=0.0)
    reports = Trainer(tiny_network(), tiny_tokenizer(), MAILS, MAILS[:4], config).run()
    assert len(reports) == 3


def test_augmenting_keeps_label_and_marked_words() -> None:
    import random

    rng = random.Random(3)
    for _ in range(300):
        changed = augment(MAILS[0], rng)
        words = [changed.text[s.start : s.end].casefold() for s in changed.spans]
        assert (changed.label, words) == ("refund_fee", ["delivery fee", "cake"])
