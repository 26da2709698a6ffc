"""`python -m service.cli` and `refund-router`."""

from __future__ import annotations

import gc


def main() -> None:
    gc.disable()  # what imports make stays, and the collector would walk it again and again: a sixth of their time
    from service.cli.commands import app

    gc.freeze()
    gc.enable()
    app()


if __name__ == "__main__":
    main()
