"""`refund-trainer`: corpus, train, go-on, mean, evaluate, ablate, reference, export.

Exit codes: 0 well, 1 a check failed, 2 bad input.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, cast, get_args

import typer
from rich.console import Console
from rich.progress import Progress, TaskID, TimeElapsedColumn

from model.checkpoint import ModelFolderError, read_model_folder
from model.classifier import Classifier
from model.config import POSITION_SCHEMES
from model.reference import FILE as REFERENCE_FILE
from model.reference import write_reference
from model.weights import Precision, load_network
from training.ablation import Budget
from training.ablation import ablate as run_ablation
from training.ablation_page import render_ablation
from training.corpus_check import check_corpus
from training.data import CORPUS, CorpusError, Mail, Split, read_file, read_split
from training.evaluation import evaluate as figures_of
from training.export import export as write_folder
from training.loop import TrainingConfig
from training.mean import write_mean
from training.recipe import TRAINING, Recipe, Report
from training.recipe import go_on as make_further
from training.recipe import train as make_model
from training.reference import make_reference
from training.report import render_report
from training.rounds import GENTLE, RoundsConfig

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False
)
err = Console(stderr=True, highlight=False)


def _refuse(message: str) -> typer.Exit:
    err.print(f"refund-trainer: {message}", markup=False, soft_wrap=True)
    return typer.Exit(2)


def _must_be_new(output: Path) -> None:
    """Before hours of training, not after."""
    if output.exists():
        raise _refuse(f"{output} exists; a model folder is never overwritten, name another")


def _must_be_known(precision: str) -> None:
    if precision not in get_args(Precision):
        raise _refuse(f"--precision {precision} is unknown; see --help")


@contextmanager
def _stages() -> Iterator[Report]:
    """Progress of stages that become known as they begin."""
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=err) as progress:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            ended = progress.tasks[tasks[stage]].finished
            progress.update(tasks[stage], completed=done)
            if done == total and not ended and not err.is_terminal:  # where no bar is drawn, as in a log
                err.print(f"{stage}: {total} done", markup=False)

        yield report


@app.command()
def corpus(folder: Annotated[Path, typer.Option(help="Corpus folder.")] = CORPUS) -> None:
    """Count the labelled mails, and fail on duplicates, conflicting labels and leaks between splits.

    Example: `refund-trainer corpus`
    """
    splits: tuple[Split, ...] = ("train", "development", "blind")
    try:
        for split in splits:
            mails = read_split(split, folder)
            typer.echo(
                f"{split}: {len(mails)} mails, {len({m.pair for m in mails if m.pair})} pairs, "
                f"{len({m.writer for m in mails})} writers, {dict(Counter(m.label for m in mails).most_common())}"
            )
        complaints = check_corpus(folder)
    except (CorpusError, OSError) as error:
        raise _refuse(str(error)) from None
    for complaint in complaints:
        typer.echo(complaint)
    if complaints:
        raise typer.Exit(1)


@app.command()
def train(
    output: Annotated[Path, typer.Option(help="Model folder to make; must not exist.")],
    version: Annotated[str, typer.Option(help="The model's version.")],
    run: Annotated[Path, typer.Option(help="Folder for state, so that a killed run goes on.")] = Path("runs/base"),
    size: Annotated[str, typer.Option(help="base, or small: a model of a few megabytes.")] = Recipe.size,
    start: Annotated[
        Path | None, typer.Option(help="Go on from this model folder, at a tenth of the learning rate.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Default: the size's own.")] = None,
    mails: Annotated[int, typer.Option(min=0, help="Train on as many mails, drawn at random; 0: all.")] = Recipe.mails,
    adapt_steps: Annotated[
        int, typer.Option(min=0, help="Steps of teaching the pretrained layers our positions.")
    ] = Recipe.adapt_steps,
    positions: Annotated[str, typer.Option(help="none, learned, sinusoidal or rope.")] = Recipe.positions,
    precision: Annotated[str, typer.Option(help="Stored weights: float32, float16 or int8.")] = Recipe.precision,
    seed: Annotated[int, typer.Option()] = TrainingConfig.seed,
    corpus_folder: Annotated[Path, typer.Option("--corpus", help="Your own: writers.toml and hand/*.jsonl.")] = CORPUS,
) -> None:
    """Train on the corpus's training writers, calibrate and measure on its development writers.

    Example: `refund-trainer train --output runs/mine/model --version 2026.12.1 --start model/released --epochs 1`
    """
    _must_be_new(output)
    _must_be_known(precision)
    if positions not in POSITION_SCHEMES or size not in TRAINING:
        raise _refuse(f"--positions {positions} or --size {size} is unknown; see --help")
    config = replace(TRAINING[size], seed=seed)
    if epochs is not None:
        config = replace(config, epochs=epochs)
    if start is not None:
        config = config.gentler()
    recipe = Recipe(
        version,
        size=size,
        mails=mails,
        start_folder=str(start or ""),
        positions=positions,
        adapt_steps=adapt_steps,
        precision=cast(Precision, precision),
        training=config,
    )
    with _stages() as report:
        try:
            figures = make_model(recipe, corpus_folder, run, output, report)
        except (FileNotFoundError, ValueError) as error:
            raise _refuse(str(error)) from None
    typer.echo(json.dumps(figures, indent=2))


@app.command("go-on")
def go_on(
    output: Annotated[Path, typer.Option(help="Model folder to make; must not exist.")],
    version: Annotated[str, typer.Option(help="The model's version.")],
    start: Annotated[Path, typer.Option(help="Model folder to go on from.")] = Path("model/released"),
    run: Annotated[Path, typer.Option(help="Folder for state, so that a killed run goes on.")] = Path("runs/on"),
    minutes: Annotated[
        float, typer.Option(min=0.01, help="How long; the learning rate follows.")
    ] = RoundsConfig.minutes,
    workers: Annotated[int, typer.Option(min=1, help="Processes, one thread each.")] = os.cpu_count() or 1,
    learning_rate: Annotated[
        float, typer.Option(min=0.0, help="Peak of the body's; the heads' is three times that.")
    ] = GENTLE.body_learning_rate,
    precision: Annotated[str, typer.Option(help="Stored weights: float32, float16 or int8.")] = Recipe.precision,
    seed: Annotated[int, typer.Option()] = GENTLE.seed,
    corpus_folder: Annotated[Path, typer.Option("--corpus", help="Your own: writers.toml and hand/*.jsonl.")] = CORPUS,
) -> None:
    """Train a model further on the corpus: hard mails first, by several processes, for a given time.

    Example: `refund-trainer go-on --output runs/on/model --version 2026.12.8 --minutes 100 --workers 2`
    """
    _must_be_new(output)
    _must_be_known(precision)
    training = replace(GENTLE, body_learning_rate=learning_rate, head_learning_rate=3 * learning_rate, seed=seed)
    rounds = RoundsConfig(minutes=minutes, workers=workers)
    with _stages() as report:
        try:
            figures = make_further(
                start, version, rounds, training, corpus_folder, run, output, cast(Precision, precision), report
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise _refuse(str(error)) from None
    typer.echo(json.dumps(figures, indent=2))


@app.command()
def mean(
    models: Annotated[list[str], typer.Argument(help="FOLDER or FOLDER:SHARE, of one network's runs; a share is 1.")],
    output: Annotated[Path, typer.Option(help="Model folder to make; must not exist.")],
    version: Annotated[str, typer.Option(help="The model's version.")],
    precision: Annotated[str, typer.Option(help="Stored weights: float32, float16 or int8.")] = Recipe.precision,
    corpus_folder: Annotated[Path, typer.Option("--corpus", help="Your own: writers.toml and hand/*.jsonl.")] = CORPUS,
) -> None:
    """Mean of models' weights, calibrated and measured on the development writers: often better than each.

    Example: `refund-trainer mean model/released:0.4 runs/a/model:0.3 runs/b/model:0.3 --output runs/ab --version ab`
    """
    _must_be_known(precision)
    shares: dict[Path, float] = {}
    for asked in models:
        folder, colon, share = asked.rpartition(":")
        try:
            shares[Path(folder if colon else asked)] = float(share) if colon else 1.0
        except ValueError:
            raise _refuse(f"{asked}: {share!r} is no share; FOLDER or FOLDER:SHARE is asked for") from None
    with _stages() as report:
        try:
            figures = write_mean(shares, version, output, cast(Precision, precision), corpus_folder, report)
        except (OSError, ValueError) as error:
            raise _refuse(str(error)) from None
    typer.echo(json.dumps(figures, indent=2))


@app.command()
def evaluate(
    model: Annotated[Path, typer.Option(help="Model folder.")],
    split: Annotated[str, typer.Option(help="train, development or blind.")] = "development",
    mails: Annotated[Path | None, typer.Option(help="A JSONL file of labelled mails instead.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as a page here.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here, not to the screen.")] = None,
) -> None:
    """Measure a model on labelled mails: figures as JSON, and a page with tables, plots and the worst mistakes

    (but of the blind split, which is never read for errors, only figures).

    Example: `refund-trainer evaluate --model model/released --split development --html report.html`
    """
    if split not in get_args(Split):
        raise _refuse(f"--split {split!r} is none of {', '.join(get_args(Split))}")
    try:
        labelled: list[Mail] = read_file(mails) if mails is not None else read_split(cast(Split, split))
        classifier = Classifier(model)
    except (CorpusError, ModelFolderError, OSError) as error:
        raise _refuse(str(error)) from None
    if not labelled:
        raise _refuse(f"no mails in {mails or split}")
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading", total=len(labelled))
        figures = figures_of(
            classifier,
            labelled,
            lambda n: progress.update(task, advance=n),
            show_mistakes=mails is not None or split != "blind",
        )
    text = json.dumps(figures, indent=2, ensure_ascii=False) + "\n"
    try:
        if html is not None:
            page = render_report(figures, classifier.classes, f"{classifier.version} on {mails or split}")
            html.write_text(page, encoding="utf-8")
        if json_file is not None:
            json_file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refuse(str(error)) from None
    if json_file is None:
        typer.echo(text, nl=False)


@app.command()
def ablate(
    output: Annotated[Path, typer.Option(help="Folder for ablation.html and ablation.json.")] = Path("docs"),
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each kind of network.")] = Budget.seeds,
    steps: Annotated[int, typer.Option(min=1, help="Training steps of each run.")] = Budget.steps,
    workers: Annotated[int, typer.Option(min=1, help="Runs at a time, one thread each.")] = os.cpu_count() or 1,
) -> None:
    """Train small networks with every kind of positions, heads and layers, and write what they make of swap pairs.

    Example: `refund-trainer ablate --output docs` (nine minutes on two cores)
    """
    budget = replace(Budget(), seeds=seeds, steps=steps)
    try:
        output.mkdir(parents=True, exist_ok=True)
        with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=err) as progress:
            task = progress.add_task("networks", total=None)
            figures = run_ablation(budget, workers, lambda n, total: progress.update(task, completed=n, total=total))
        (output / "ablation.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
        (output / "ablation.html").write_text(render_ablation(figures), encoding="utf-8")
    except (CorpusError, OSError) as error:
        raise _refuse(str(error)) from None
    typer.echo(f"{output / 'ablation.html'}")


@app.command()
def reference(
    model: Annotated[Path, typer.Option(help="Model folder, which gets the file reference.json.")],
    mails: Annotated[
        Path | None, typer.Option(help="A JSONL file of labelled mails; the development split by default.")
    ] = None,
) -> None:
    """Give a model folder what drift is measured against: its labelled mails as numbers, and what chance makes of them.

    Example: `refund-trainer reference --model runs/mine/model --mails yours.jsonl`
    """
    try:
        labelled = read_file(mails) if mails is not None else read_split("development")
        classifier = Classifier(model)
        with Progress(console=err, transient=True) as progress:
            task = progress.add_task("reading", total=len(labelled))
            made = make_reference(
                classifier,
                model,
                labelled,
                str(mails or "development split"),
                lambda n: progress.update(task, advance=n),
            )
        write_reference(model, made)
    except (CorpusError, ModelFolderError, ValueError, OSError) as error:
        raise _refuse(str(error)) from None
    typer.echo(f"{model / REFERENCE_FILE}: {made.mails} mails, accuracy {made.accuracy:.3f}")


@app.command()
def export(
    model: Annotated[Path, typer.Option(help="Model folder to read.")],
    output: Annotated[Path, typer.Option(help="Model folder to make; must not exist.")],
    precision: Annotated[str, typer.Option(help="float32, float16 or int8.")] = "int8",
) -> None:
    """Write a model folder again with its weights at another precision.

    Example: `refund-trainer export --model runs/mine/model --output runs/mine/small --precision int8`
    """
    _must_be_new(output)
    _must_be_known(precision)
    try:
        folder = read_model_folder(model)
        tokenizer_json = (model / "tokenizer.json").read_text(encoding="utf-8")
        details = {**folder.card.details, "exported_again_at": precision}
        card = replace(folder.card, version=f"{folder.card.version}-{precision}", details=details)
        write_folder(load_network(model), tokenizer_json, card, output, cast(Precision, precision))
    except (OSError, ValueError) as error:
        raise _refuse(str(error)) from None


if __name__ == "__main__":
    app()
