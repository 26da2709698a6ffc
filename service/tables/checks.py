"""Runs of the order-sensitivity suites: what each found, case by case. Rows are added, and finished once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.database import Base, UtcDateTime
from service.tables.emails import Json


class SuiteRun(Base):
    """One execution of a suite on one model. Ids are UUIDv7. Figures are null until it has finished."""

    __tablename__ = "suite_runs"
    __table_args__ = (
        Index(None, "suite", "id"),
        Index(None, "model_version", "id"),
        Index(None, "state", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    suite: Mapped[str] = mapped_column(String(200))
    suite_sha256: Mapped[str] = mapped_column(String(64))
    model_version: Mapped[str] = mapped_column(String(64))
    trigger: Mapped[str] = mapped_column(String(16))  # startup, promotion, schedule, api or cli
    actor: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))  # running, then passed, failed or error
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    seconds: Mapped[float | None]
    n_cases: Mapped[int | None]
    n_passed: Mapped[int | None]
    pair_accuracy: Mapped[float | None]  # null also for a suite without swap pairs
    both_same_ratio: Mapped[float | None]
    failed_critical: Mapped[int | None]
    groups: Mapped[list[dict[str, Any]] | None] = mapped_column(Json)
    complaints: Mapped[list[str] | None] = mapped_column(Json)  # why it failed, or what went wrong


class SuiteRunCase(Base):
    """One case of a run, passed ones too. number is its place in the suite."""

    __tablename__ = "suite_run_cases"

    run_id: Mapped[str] = mapped_column(ForeignKey("suite_runs.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    case_id: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(16))
    capability: Mapped[str] = mapped_column(Text)
    severity: Mapped[str] = mapped_column(String(16))
    passed: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text)
    order_gap: Mapped[float | None]
    # name, text, expected, label, confidence, spans; expected_spans and expected_decision where the case asks for them
    readings: Mapped[list[dict[str, Any]]] = mapped_column(Json)
