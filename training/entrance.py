"""`refund-trainer`, also where the extra `train` is not installed: then it says so in one line, exit code 2."""

from __future__ import annotations

import sys

OWN = ("training", "model", "service")


def main() -> None:
    try:
        from training.cli import app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OWN:
            raise
        sys.stderr.write(
            f"refund-trainer: {error.name} is not installed; pip install 'refund-router[train]', "
            "or in this tree: .venv/bin/pip install -e '.[train]'\n"
        )
        raise SystemExit(2) from None
    app()
