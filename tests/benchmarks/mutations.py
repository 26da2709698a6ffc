"""Which suite catches which broken model, and by how much.

python -m tests.benchmarks.mutations                  every case of the shipped suites
python -m tests.benchmarks.mutations --sample 25      the critical cases and so many others a suite, by a fixed seed

A suite catches a model where it, or a critical case of it, fails and the whole model passes, or where a group or the
suite fell against the whole model by more than chance (exact McNemar). A cell is the share of cases that pass; a star
marks a catch. Exit code 1 where nothing catches a mutation: that is a hole in the suites.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from model.checks.results import RunResult
from model.checks.runner import run_suite
from model.checks.schema import Suite, read_suites
from model.classifier import Classifier
from service.settings import Settings
from tests.model.checks.mutations import MUTATIONS, RELEASED, catches
from tests.model.checks.sampling import sampled

CAPTION = (
    "One dead head is seen by what the model can do no longer, so by many cases and not by a few. No structural check "
    "would be honest there: a good network may leave a head unused (Michel and others 2019, section 3). Weights that "
    "were changed after training are refused by their hash."
)


@dataclass(frozen=True)
class Catch:
    """What one suite says of one broken model."""

    pass_ratio: float
    caught: bool


def judged(run: RunResult, whole: RunResult) -> Catch:
    return Catch(run.pass_ratio, catches(run, whole))


def run_suites(suites: list[Suite], classifier: Classifier) -> dict[str, RunResult]:
    return {suite.name: run_suite(suite, classifier) for suite in suites}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="cases a suite beside the critical ones; all by default")
    parser.add_argument("--only", action="append", help="a mutation's name; may be repeated; all by default")
    arguments = parser.parse_args()
    suites = read_suites(Settings().suite_files())
    if arguments.sample is not None:
        suites = [sampled(suite, arguments.sample) for suite in suites]
    names = arguments.only or list(MUTATIONS)
    rows: dict[str, dict[str, Catch]] = {}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("whole", total=len(names) + 1)
        whole = run_suites(suites, Classifier(RELEASED))
        for name in names:
            progress.update(task, advance=1, description=name)
            runs = run_suites(suites, MUTATIONS[name]())
            rows[name] = {suite: judged(run, whole[suite]) for suite, run in runs.items()}
            caught = [
                f"{suite} {catch.pass_ratio:.0%} (whole {whole[suite].pass_ratio:.0%})"
                for suite, catch in rows[name].items()
                if catch.caught
            ]
            sys.stderr.write(f"{name}: {', '.join(caught) or 'NOTHING'}\n")
    table = Table("", *(f"{suite.name} ({len(suite.cases)})" for suite in suites), caption=CAPTION)
    table.add_row("whole", *(f"{whole[suite.name].pass_ratio:.0%}" for suite in suites))
    for name, found in rows.items():
        table.add_row(name, *(f"{catch.pass_ratio:.0%}{'*' if catch.caught else ''}" for catch in found.values()))
    Console(width=220).print(table)
    return 0 if all(any(catch.caught for catch in found.values()) for found in rows.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
