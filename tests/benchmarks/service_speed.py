"""What the service costs over the bare model, on one core, for the released model and the small one:

- mails posted, each answered after its row is durable, over mails that the same model reads offline: a second, and a
  second of processor time, which a busy machine distorts less
- the 99th percentile under half that load over one mail's inference
- seconds from the start to ready, on a new database and on one that is up to date

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
from time import perf_counter, process_time

import psutil

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
    started, n_read, spent = perf_counter(), 0, process_time()
    while perf_counter() - started < seconds:
        read_texts(classifier, texts, default_threshold=0.95)
        n_read += len(texts)
    rate, processor_rate = n_read / (perf_counter() - started), n_read / (process_time() - spent)
    singles = []
    for text in texts:
        started = perf_counter()
        read_texts(classifier, [text], default_threshold=0.95)
        singles.append(perf_counter() - started)
    found = {"rate": rate, "processor_rate": processor_rate, "single": statistics.median(singles)}
    sys.stdout.write(json.dumps(found))


def measured_offline(model: Path, seconds: float) -> dict[str, float]:
    command = [sys.executable, "-m", __spec__.name, "--offline", str(model), "--seconds", str(seconds)]
    told: dict[str, float] = json.loads(
        subprocess.run(command, check=True, capture_output=True, preexec_fn=onto_core).stdout
    )
    return told


def processor_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def measured_starts(name: str, folder: Path, rounds: int) -> None:
    """The first makes the database; the others find it up to date."""
    seconds, spent = [], []
    for _ in range(rounds + 1):
        with refund_router(folder, MODELS[name], PORT) as (process, start):
            seconds.append(start)
            spent.append(processor_seconds(process))
    print(
        f"{name}: start to ready {statistics.median(seconds[1:]):.1f} s, of the processor's "
        f"{statistics.median(spent[1:]):.1f} s; on a new database {seconds[0]:.1f} s and {spent[0]:.1f} s",
        flush=True,
    )


def measure(name: str, seconds: float, rounds: int) -> None:
    model = MODELS[name]
    ratios, processor_ratios, tails = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        measured_starts(name, Path(folder), rounds)
        with refund_router(Path(folder), model, PORT) as (process, _):
            closed_load(PORT, "warm", seconds=1)
            for number in range(rounds):
                bare = measured_offline(model, seconds)
                before = processor_seconds(process)
                full = closed_load(PORT, f"full{number}", seconds=seconds)
                processor_rate = len(full.latencies) / (processor_seconds(process) - before)
                half = open_load(PORT, f"half{number}", seconds=seconds, rate=full.rate / 2)
                assert full.failed == half.failed == 0, "a post failed"
                ratios.append(full.rate / bare["rate"])
                processor_ratios.append(processor_rate / bare["processor_rate"])
                tails.append(half.percentile(99) / bare["single"])
                print(
                    f"{name}: offline {bare['rate']:.1f} mails/s, served {full.rate:.1f}; by processor time "
                    f"{bare['processor_rate']:.1f} and {processor_rate:.1f}; one mail {bare['single'] * 1e3:.1f} ms, "
                    f"p99 under half load {half.percentile(99) * 1e3:.1f} ms",
                    flush=True,
                )
    print(
        f"{name}: served over offline {statistics.median(ratios):.2f}, by processor time "
        f"{statistics.median(processor_ratios):.2f}; p99 under half load over one inference "
        f"{statistics.median(tails):.1f} (medians of {rounds} rounds)"
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
