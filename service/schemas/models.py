"""Models and their promotions, as they go over the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from service.schemas.checks import RunState
from service.schemas.emails import Line, Wire


class EvaluationOut(Wire):
    """Figures of one evaluation that the model's card holds."""

    name: str
    mails: int
    accuracy: float
    macro_f1: float | None
    pairs_both_right: float | None = Field(description="share of the mirror pairs of which both mails were read right")


class SuiteResultOut(Wire):
    """What a suite's newest finished run found on a model."""

    suite: str
    run_id: str
    state: RunState
    created_at: datetime
    n_cases: int
    n_passed: int
    pair_accuracy: float | None = Field(description="share of the swap pairs of which both mails were read right")
    failed_critical: int


class ModelOut(Wire):
    """A model folder. What stands in its card is null where `problem` says why the folder cannot be used."""

    version: str | None
    folder: str
    serving: bool
    problem: str | None
    languages: list[str] | None
    temperature: float | None = Field(description="what the label's logits of a mail of 30 tokens are divided by")
    length_exponent: float | None = Field(
        description="power of a mail's tokens that the temperature grows with; 0: every mail has the same"
    )
    auto_thresholds: dict[str, float] | None
    evaluations: list[EvaluationOut]
    suites: list[SuiteResultOut] = Field(description="the last finished run of each suite on this very model")


class ModelPage(Wire):
    data: list[ModelOut]
    next_cursor: str | None = None


class PromoteIn(Wire):
    """Only where a model is to serve although a suite fails."""

    force: bool = Field(default=False, description="let it serve although a suite fails; for admins, with a reason")
    reason: Annotated[Line, Field(min_length=1)] | None = Field(
        default=None, description="why; kept with the promotion"
    )


class RollbackIn(Wire):
    """Why; kept with the rollback."""

    reason: Annotated[Line, Field(min_length=1)] | None = None


class PromotionOut(Wire):
    """A change of the serving model."""

    number: int
    action: Literal["promotion", "rollback"]
    from_version: str
    to_version: str
    actor: str
    forced: bool
    reason: str | None
    verdict: list[dict[str, Any]]
    created_at: datetime


class PromotionPending(Wire):
    """The suites run on. Where none fails, the model is the newest of `promotions`; else the audit has the refusal."""

    version: str
    runs: str = Field(description="where the runs are read, also while they run")
    promotions: str


class PromotionPage(Wire):
    data: list[PromotionOut]
    next_cursor: str | None
