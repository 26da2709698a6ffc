"""A suite cut short: what must never fail, and a seeded sample of the rest."""

from __future__ import annotations

import random
from dataclasses import replace

from model.checks.schema import Suite


def sampled(suite: Suite, size: int) -> Suite:
    """Every critical case and at most `size` others, in the suite's order; always the same ones."""
    others = [number for number, case in enumerate(suite.cases) if case.severity != "critical"]
    kept = set(random.Random(suite.name).sample(others, min(size, len(others))))
    cases = tuple(case for number, case in enumerate(suite.cases) if case.severity == "critical" or number in kept)
    return replace(suite, cases=cases)
