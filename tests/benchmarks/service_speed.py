"""What the service costs over the bare model, on one core, for the released model and the small one:

- mails a second posted, each answered after its row is durable, over mails a second that the same model reads offline
- the 99th percentile under half that load over one mail's inference
- seconds from the start to ready

    python -m tests.benchmarks.service_speed --seconds 10

Offline and served take turns in one run. Both read a mail with its order check, in batches of at most 32.
"""

# ruff: noqa: T201 — it prints what it finds

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from time import perf_counter

from model.classifier import Classifier
from model.decision import read_texts
from service.settings import released_model
from tests.benchmarks.load import closed_load, mails, open_load
from tests.benchmarks.serving import off_core, onto_core, refund_router

MODELS = {"base": released_model(), "small": released_model().parent / "small"}
PORT = 18_080


def offline(model: Path, seconds: float) -> None:
    """Print mails a second in batches of 32, and the median seconds of one mail by itself."""
    classifier = Classifier(model)
    texts = [mail["text"] for mail in islice(mails("offline"), 32)]
    read_texts(classifier, texts, default_threshold=0.95)  # the first one loads what is loaded when it is needed
    started, n_read = perf_counter(), 0
    while perf_counter() - started < seconds:
        read_texts(classifier, texts, default_threshold=0.95)
        n_read += len(texts)
    rate = n_read / (perf_counter() - started)
    singles = []
    for text in texts:
        started = perf_counter()
        read_texts(classifier, [text], default_threshold=0.95)
        singles.append(perf_counter() - started)
    sys.stdout.write(json.dumps({"rate": rate, "single": statistics.median(singles)}))


def measured_offline(model: Path, seconds: float) -> tuple[float, float]:
    command = [sys.executable, "-m", __spec__.name, "--offline", str(model), "--seconds", str(seconds)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, preexec_fn=onto_core).stdout)
    return told["rate"], told["single"]


def measure(name: str, seconds: float, rounds: int) -> None:
    model = MODELS[name]
    ratios, tails = [], []
    with tempfile.TemporaryDirectory() as folder, refund_router(Path(folder), model, PORT) as (_, start):
        closed_load(PORT, "warm", seconds=1)
        for number in range(rounds):
            bare, single = measured_offline(model, seconds)
            full = closed_load(PORT, f"full{number}", seconds=seconds)
            half = open_load(PORT, f"half{number}", seconds=seconds, rate=full.rate / 2)
            assert full.failed == half.failed == 0, "a post failed"
            ratios.append(full.rate / bare)
            tails.append(half.percentile(99) / single)
            print(
                f"{name}: offline {bare:.1f} mails/s, served {full.rate:.1f} mails/s; one mail {single * 1e3:.1f} ms, "
                f"p99 under half load {half.percentile(99) * 1e3:.1f} ms"
            )
    print(
        f"{name}: served over offline {statistics.median(ratios):.2f}; p99 under half load over one inference "
        f"{statistics.median(tails):.1f}; start to ready {start:.1f} s (medians of {rounds} rounds)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", choices=sorted(MODELS), action="append", help="both by default")
    parser.add_argument("--offline", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.offline is not None:
        offline(given.offline, given.seconds)
        return
    off_core()
    for name in given.model or sorted(MODELS):
        measure(name, given.seconds, given.rounds)


if __name__ == "__main__":
    main()
