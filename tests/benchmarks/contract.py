"""Many cases for every route of the API's document, as schemathesis makes them; `make test` tries a few.

python -m tests.benchmarks.contract --examples 200
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "service/test_contract.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=200, help="cases for each route")
    os.environ["CONTRACT_EXAMPLES"] = str(parser.parse_args().examples)
    status = pytest.main(["-v", "--show-capture=no", str(TESTS)])
    from tests.service.test_contract import ANSWERS  # the very module that pytest ran

    operations = {operation for operation, _ in ANSWERS}
    by_status: Counter[int] = Counter()
    for (_, code), count in ANSWERS.items():
        by_status[code] += count
    told = ", ".join(f"{count:,} of {code}" for code, count in sorted(by_status.items()))
    print(f"{len(operations)} operations, {ANSWERS.total():,} cases with a key: {told}")  # noqa: T201
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
