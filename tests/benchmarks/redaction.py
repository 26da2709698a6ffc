"""Redaction of hostile texts: what twice the length costs, and seconds for a million characters.

    python -m tests.benchmarks.redaction [--characters 500000]

Each shape is repeated to a text of so many characters and to one of twice as many; processor time, the shortest of
ROUNDS. Exit 1 where twice the length costs more than LIMIT_RATIO times as much: the work would grow faster than the
text.
"""

from __future__ import annotations

import argparse
import sys
from time import process_time

from service.redaction import redact

ROUNDS, LIMIT_RATIO = 3, 3.0
SHAPES = {
    "digits": "1234567890",
    "digits apart": "1 ",
    "digits and points": "1.",
    "lines of eight digits": "12345678\n",
    "brackets": "(1",
    "plus": "+1 ",
    "phones with plus": "+44 7700 900123 ",
    "phones": "07700 900123 ",
    "announced phones": "call 12345678 ",
    "order numbers": "order 12345678 ",
    "word of a number": "anummer12345678 ",
    "cards": "4111 1111 1111 1111 ",
    "cards with a comma": "4111111111111111,",
    "IBANs": "DE89 3704 0044 0532 0130 00 ",
    "IBANs with a wrong checksum": "DE89 3704 0044 0532 0130 01 ",
    "letters and digits": "AB12 ",
    "letters and digits in one": "AB12cd34",
    "addresses in each other": "a@a@",
    "addresses": "a@a.",
    "long addresses": "@a.a.a.a.a.a.a.a.a.a.a ",
    "a digit and spaces": "1" + " " * 50,
    "one word": "1aaaaaaaaaa",
}


def seconds(shape: str, characters: int) -> float:
    text = (shape * (characters // len(shape) + 1))[:characters]
    shortest = float("inf")
    for _ in range(ROUNDS):
        started = process_time()
        redact(text)
        shortest = min(shortest, process_time() - started)
    return shortest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--characters", type=int, default=500_000)
    characters = parser.parse_args().characters
    redact("+44 7700 900123")  # the libraries are loaded
    too_steep = False
    for name, shape in SHAPES.items():
        once, twice = seconds(shape, characters), seconds(shape, 2 * characters)
        steep = twice > LIMIT_RATIO * once
        too_steep |= steep
        million = twice * 500_000 / characters
        print(f"{name:30} {twice / once:5.1f}x {million:7.2f} s{'  TOO STEEP' if steep else ''}")  # noqa: T201
    return int(too_steep)


if __name__ == "__main__":
    sys.exit(main())
