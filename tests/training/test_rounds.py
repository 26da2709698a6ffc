from __future__ import annotations

import json
import multiprocessing
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from model.checkpoint import Card, read_model_folder
from model.network import EmailEncoder
from model.weights import load_network
from tests.tiny import CONTRASTS, TRAINING, tiny_corpus, tiny_network, tiny_tokenizer
from training.cli import app
from training.export import export
from training.rounds import TRAINED_LOSS, Memory, RoundsConfig, draw, go_on

MAILS = CONTRASTS * 6
ROUNDS = RoundsConfig(minutes=0.1, workers=2, mails_a_round=48, generated_ratio=0.0, steps_alone=2)


class Ticks:
    """A clock that a busy machine cannot hurry: each look at it takes as long."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.looks = seconds, 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks * self.seconds


def gone_on(network: EmailEncoder, rounds: RoundsConfig, run: Path, *, tick: float) -> tuple[int, list[float]]:
    """What go_on returns, and the seconds that it told."""
    heard: list[float] = []
    steps = go_on(
        network,
        tiny_tokenizer(),
        MAILS,
        rounds,
        TRAINING,
        run,
        progress=lambda seconds, _: heard.append(seconds),
        clock=Ticks(tick),
    )
    return steps, heard


def weights(state: dict[str, torch.Tensor]) -> torch.Tensor:
    return torch.cat([tensor.flatten() for tensor in state.values()])


def test_hard_mails_are_drawn_more_often_than_easy_ones_and_seen_ones_less() -> None:
    mails = [replace(mail, pair=None) for mail in CONTRASTS for _ in range(250)]
    hard = set(range(0, len(mails), 2))
    counts = []
    for drawn_before in (0, 3):
        memory = Memory({i: 2.0 if i in hard else 0.0 for i in range(len(mails))}, dict.fromkeys(hard, drawn_before))
        chosen = draw(mails, memory, replace(ROUNDS, mails_a_round=200), random.Random(1))
        assert len(set(chosen)) == len(chosen) == 200
        counts.append(len(hard & set(chosen)))
    assert counts[0] > 140 > counts[1] > 100  # 4 to 1, then 1.6 to 1


def test_a_mail_whose_loss_is_beyond_belief_is_drawn_like_an_easy_one() -> None:
    memory = Memory({0: 9.0, 1: 0.0, 2: 0.2, 3: 0.4})
    assert [memory.weight(i, 0.25) for i in range(5)] == [0.25, 0.25, 0.625, 1.0, 2.0]


def test_members_of_a_pair_come_together() -> None:
    mails = [replace(mail, pair=f"p{i // 2}") for i, mail in enumerate(MAILS)]
    chosen = draw(mails, Memory(), replace(ROUNDS, mails_a_round=8), random.Random(2))
    assert len(chosen) == 8
    assert all(a // 2 == b // 2 for a, b in zip(chosen[::2], chosen[1::2], strict=True))


def test_two_processes_learn_the_order_and_end_with_one_network(tmp_path: Path) -> None:
    network = tiny_network()
    steps, heard = gone_on(network, ROUNDS, tmp_path, tick=0.01)
    assert steps == len(heard) > 100
    assert heard == sorted(heard)
    state = torch.load(tmp_path / "rounds.pt", weights_only=True)
    assert state["steps"] == steps
    assert set(state["losses"]) == set(range(len(MAILS)))  # each worker's half is known to the first
    assert sum(state["losses"].values()) / len(MAILS) < 0.1
    torch.testing.assert_close(weights(network.state_dict()), weights(state["average"]))


def test_mails_that_the_start_was_not_trained_on_come_first(tmp_path: Path) -> None:
    mails = [replace(mail, pair=None, writer="ann" if i % 2 else "bob") for i, mail in enumerate(MAILS * 20)]
    one_round = replace(ROUNDS, workers=1, mails_a_round=len(mails) // 4)
    ann = frozenset({"ann"})
    go_on(tiny_network(), tiny_tokenizer(), mails, one_round, TRAINING, tmp_path, trained=ann, clock=Ticks(9.0))
    state = torch.load(tmp_path / "rounds.pt", weights_only=True)
    drawn = [mails[i].writer for i in state["drawn"]]
    assert len(drawn) == len(mails) // 4
    assert drawn.count("bob") > 2 * drawn.count("ann")  # 3.2 to 1
    waiting = {mails[i].writer: state["losses"].get(i) for i in range(len(mails)) if i not in state["drawn"]}
    assert waiting == {"ann": TRAINED_LOSS, "bob": None}


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    alone = replace(ROUNDS, workers=1, minutes=0.05)

    class Killed(Exception):
        pass

    def kill(seconds: float, _: float) -> None:
        if seconds > 1.5:
            raise Killed

    with pytest.raises(Killed):
        go_on(tiny_network(), tiny_tokenizer(), MAILS, alone, TRAINING, tmp_path, progress=kill, clock=Ticks(0.02))
    kept = torch.load(tmp_path / "rounds.pt", weights_only=True)
    _, heard = gone_on(tiny_network(), alone, tmp_path, tick=0.02)
    assert heard[0] >= kept["seconds"] > 0.0
    with pytest.raises(ValueError, match="other settings or mails"):
        go_on(tiny_network(), tiny_tokenizer(), MAILS, alone, TRAINING, tmp_path, identity="another")


def test_a_process_that_dies_ends_the_run_with_an_error(tmp_path: Path) -> None:
    def kill(*_: float) -> None:
        for process in multiprocessing.active_children():
            process.kill()

    with pytest.raises(RuntimeError):
        go_on(tiny_network(), tiny_tokenizer(), MAILS, ROUNDS, TRAINING, tmp_path, progress=kill)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return tiny_corpus(tmp_path / "corpus", {"ann": "development", "bob": "train"})


def test_the_command_says_where_it_went_on_from(tmp_path: Path, corpus: Path) -> None:
    start, target = tmp_path / "start", tmp_path / "further"
    export(tiny_network(), tiny_tokenizer().to_json(), Card("1", languages=("en",), details={}), start, "float32")
    asked = ["go-on", "--start", str(start), "--output", str(target), "--run", str(tmp_path / "run"), "--version", "2"]
    asked += ["--corpus", str(corpus), "--workers", "1", "--minutes", "0.05", "--precision", "float32"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("going on, in seconds: 3 done") == 1
    details = read_model_folder(target).card.details
    assert details["went_on_from"]["version"] == "1"
    assert details["recipe"]["steps"] > 0
    assert details["development_in_sample"] == json.loads(done.stdout)
    assert not torch.equal(weights(load_network(target).state_dict()), weights(load_network(start).state_dict()))
    again = CliRunner().invoke(app, asked)
    assert (again.exit_code, "never overwritten" in again.stderr) == (2, True)
