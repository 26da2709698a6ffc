"""Models and promotions to what goes over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy.orm import Session

from model.checkpoint import Card
from service.model_shelf import ShelvedModel
from service.queries import checks
from service.schemas.checks import RunState
from service.schemas.models import EvaluationOut, ModelOut, PromotionOut, SuiteResultOut
from service.tables import Promotion, SuiteRun


def model_answers(session: Session, models: Sequence[ShelvedModel], *, serving_version: str) -> list[ModelOut]:
    """Each with its card's figures and the last run of each suite on it."""
    runs = checks.last_finished_runs(session, model_versions=[model.version for model in models if model.version])
    return [
        _model_answer(model, [run for run in runs if run.model_version == model.version], serving_version)
        for model in models
    ]


def _model_answer(model: ShelvedModel, runs: Sequence[SuiteRun], serving_version: str) -> ModelOut:
    card = model.card
    return ModelOut(
        version=model.version,
        folder=model.path.name,
        serving=model.version == serving_version,
        problem=model.problem,
        languages=list(card.languages) if card is not None else None,
        temperature=card.temperature if card is not None else None,
        length_exponent=card.length_exponent if card is not None else None,
        auto_thresholds=card.thresholds if card is not None else None,
        evaluations=_evaluations(card) if card is not None else [],
        suites=[_suite_result(run) for run in runs],
    )


def _suite_result(run: SuiteRun) -> SuiteResultOut:
    """Of a finished run, whose figures are there."""
    return SuiteResultOut(
        suite=run.suite,
        run_id=run.id,
        state=cast(RunState, run.state),
        created_at=run.created_at,
        n_cases=run.n_cases or 0,
        n_passed=run.n_passed or 0,
        pair_accuracy=run.pair_accuracy,
        failed_critical=run.failed_critical or 0,
    )


def _evaluations(card: Card) -> list[EvaluationOut]:
    """The card's details are free; what is laid out as `refund-trainer evaluate` does is an evaluation."""
    found = []
    for name, figures in sorted(card.details.items()):
        label = figures.get("label") if isinstance(figures, dict) else None
        if not isinstance(label, dict) or not {"mails", "accuracy"} <= set(label):
            continue
        pairs = figures.get("pairs")
        found.append(
            EvaluationOut(
                name=name,
                mails=label["mails"],
                accuracy=label["accuracy"],
                macro_f1=figures.get("macro_f1"),
                pairs_both_right=pairs.get("both_right") if isinstance(pairs, dict) else None,
            )
        )
    return found


def promotion_answer(row: Promotion) -> PromotionOut:
    return PromotionOut(
        number=row.number,
        action="promotion" if row.action == "promotion" else "rollback",
        from_version=row.from_version,
        to_version=row.to_version,
        actor=row.actor,
        forced=row.forced,
        reason=row.reason,
        verdict=row.verdict,
        created_at=row.created_at,
    )
