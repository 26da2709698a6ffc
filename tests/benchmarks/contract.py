"""Many cases for every route of the API's document, as schemathesis makes them; `make test` tries a few.

python -m tests.benchmarks.contract --examples 200
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "service/test_contract.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=200, help="cases for each route")
    os.environ["CONTRACT_EXAMPLES"] = str(parser.parse_args().examples)
    return pytest.main(["-v", str(TESTS)])


if __name__ == "__main__":
    sys.exit(main())
