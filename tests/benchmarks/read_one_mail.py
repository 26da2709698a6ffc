"""How long one mail of about forty tokens takes on one thread: the released model beside the small one.

    python -m tests.benchmarks.read_one_mail [MODEL_FOLDER …]

Both are measured in turns in one run; what counts is the ratio.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from time import perf_counter

from model.classifier import Classifier

FOLDERS = ("model/small", "model/released")
ROUNDS, READS = 15, 20
TEXT = (
    "Hello, please refund the delivery fee and not the cake. It came an hour late, the driver was rude about it, "
    "and nobody answered when I rang the shop to ask."
)


def milliseconds(classifier: Classifier) -> float:
    started = perf_counter()
    for _ in range(READS):
        classifier.predict([TEXT])
    return (perf_counter() - started) / READS * 1_000


def folder_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def main() -> None:
    folders = [Path(name) for name in sys.argv[1:] or FOLDERS]
    classifiers = [Classifier(folder, threads=1) for folder in folders]
    rounds = [[milliseconds(classifier) for classifier in classifiers] for _ in range(ROUNDS)]
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    for folder, classifier, median in zip(folders, classifiers, medians, strict=True):
        tokens = classifier.predict([TEXT])[0].n_tokens
        print(f"{folder}: {folder_bytes(folder) / 1e6:.1f} MB, {median:.2f} ms for {tokens} tokens")  # noqa: T201
    print(f"ratio {medians[-1] / medians[0]:.1f}")  # noqa: T201


if __name__ == "__main__":
    main()
