"""Suite runs as they go over the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from service.schemas.emails import Line, Wire

RunState = Literal["running", "passed", "failed", "error"]
RunTrigger = Literal["startup", "promotion", "schedule", "api", "cli"]


class RunIn(Wire):
    """What to run; all suites on the serving model where nothing is said."""

    suites: Annotated[list[Line], Field(max_length=200)] = Field(default_factory=list, examples=[["fee-not-cake"]])
    model: Line | None = Field(default=None, description="a version; the serving one by default")


class GroupOut(Wire):
    group: str
    passed: int
    total: int
    fail_under: float


class RunOut(Wire):
    """One suite on one model. Figures are null until it has finished."""

    id: str
    suite: str
    suite_sha256: str
    model_version: str
    trigger: RunTrigger
    actor: str
    state: RunState
    created_at: datetime
    seconds: float | None
    n_cases: int | None
    n_passed: int | None
    pass_ratio: float | None
    pair_accuracy: float | None
    both_same_ratio: float | None
    failed_critical: int | None
    groups: list[GroupOut] | None
    complaints: list[str] | None = Field(description="why it failed, or what went wrong")


class RunPage(Wire):
    data: list[RunOut]
    next_cursor: str | None = None


class RunCaseOut(Wire):
    """One case with every text as the model read it."""

    number: int
    case_id: str
    kind: str
    capability: str
    severity: str
    passed: bool
    reason: str
    order_gap: float | None
    readings: list[dict[str, Any]]


class RunWithCases(Wire):
    run: RunOut
    cases: list[RunCaseOut]
    next_cursor: str | None


class TrendPoint(Wire):
    """One finished run."""

    run_id: str
    suite: str
    suite_sha256: str
    model_version: str
    created_at: datetime
    state: RunState
    pass_ratio: float
    pair_accuracy: float | None


class Trend(Wire):
    """Oldest first; next_cursor leads to older ones."""

    data: list[TrendPoint]
    next_cursor: str | None
