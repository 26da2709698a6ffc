"""Money that a model would give back wrongly and alone, counted on the suites' mails: no promotion may raise it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from model.checkpoint import Card
from model.config import MONEY_BACK_LABELS
from service.queries import checks as queries

SHOWN = 5  # cases that a complaint names; the run has them all


@dataclass(frozen=True)
class Alone:
    """How sure a model must be to decide alone: its card's thresholds, the setting's for labels it does not name."""

    card: Card
    default_threshold: float

    def decides(self, label: str, confidence: float) -> bool:
        return confidence >= self.card.thresholds.get(label, self.default_threshold)


def wrong_alone(session: Session, *, run_id: str, alone: Alone) -> list[str]:
    """The cases of a run with a mail that was read as another label than it must get, one that gives money back, and
    surely enough for no person to look at it."""
    return [
        case_id
        for case_id, readings in queries.readings_by_case(session, run_id=run_id).items()
        if any(
            reading["expected"] not in (None, reading["label"])
            and reading["label"] in MONEY_BACK_LABELS
            and alone.decides(reading["label"], reading["confidence"])
            for reading in readings
        )
    ]


def rises(before: Mapping[str, Sequence[str]], now: Mapping[str, Sequence[str]], *, against: str) -> dict[str, str]:
    """Suite → what to complain of, where it has more such cases than before; none where all suites together have not.
    before and now: suite → its cases, of the suites that both models have run."""
    if sum(map(len, now.values())) <= sum(map(len, before.values())):
        return {}
    told = {}
    for suite, cases in now.items():
        if len(cases) > len(before[suite]):
            new = [case for case in cases if case not in before[suite]]
            shown = ", ".join(new[:SHOWN]) + (" …" if len(new) > SHOWN else "")
            told[suite] = (
                f"against {against}: money would go back wrongly with no person looking in {len(cases)} cases, "
                f"not {len(before[suite])}: {shown}"
            )
    return told
