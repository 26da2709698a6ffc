"""Suites as they stand in YAML files, read strictly.

name: fee-not-cake
description: ...
fail_under: 1.0                      # share of the cases that must pass
cases:
  - {id: story, kind: swap, a: {text: ..., label: refund_fee}, b: {text: ..., label: refund_item}, min_order_gap: 0.5}
  - {id: m1, kind: minimum, text: ..., label: refund_fee, spans: {refund: [delivery fee], keep: [cake]}}
  - {id: blind, kind: structural, text: ...}
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from model.config import LABELS, NO_ROLE, ROLES

SUITES = Path(__file__).parent / "suites"
DEFAULT_MIN_ORDER_GAP = 0.5


class SuiteError(ValueError):
    """A suite file that cannot be run; says file, case and field."""


@dataclass(frozen=True)
class Side:
    """One member of a swap pair."""

    text: str
    label: str


@dataclass(frozen=True)
class SwapCase:
    """Two mails of much the same words whose labels the order decides."""

    id: str
    a: Side
    b: Side
    min_order_gap: float = DEFAULT_MIN_ORDER_GAP
    kind: str = "swap"


@dataclass(frozen=True)
class MinimumCase:
    """One mail that must get its label, and its spans where they are named."""

    id: str
    text: str
    label: str
    spans: dict[str, tuple[str, ...]] = field(default_factory=dict)
    kind: str = "minimum"


@dataclass(frozen=True)
class StructuralCase:
    """With positions off every order of the words must read the same; with positions on it must not."""

    id: str
    text: str
    kind: str = "structural"


Case = SwapCase | MinimumCase | StructuralCase


@dataclass(frozen=True)
class Suite:
    """A named list of cases; `sha256` is of the file, so that a run says exactly what was asked."""

    name: str
    description: str
    fail_under: float
    cases: tuple[Case, ...]
    sha256: str

    def texts(self) -> list[str]:
        """Every mail of the suite, for keeping it out of training."""
        out: list[str] = []
        for case in self.cases:
            out += [case.a.text, case.b.text] if isinstance(case, SwapCase) else [case.text]
        return out


class _Reader:
    """Takes fields out of one mapping and complains of what is missing, wrong or left over."""

    def __init__(self, where: str, values: Any) -> None:
        if not isinstance(values, dict):
            raise SuiteError(f"{where}: is not a mapping")
        self.where, self.values = where, dict(values)

    def text(self, name: str) -> str:
        value = self.values.pop(name, None)
        if not isinstance(value, str) or not value.strip():
            raise SuiteError(f"{self.where}: field {name!r} is missing or not text")
        return value

    def label(self) -> str:
        value = self.text("label")
        if value not in LABELS:
            raise SuiteError(f"{self.where}: field 'label': {value!r} is none of {', '.join(LABELS)}")
        return value

    def ratio(self, name: str, default: float) -> float:
        value = self.values.pop(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise SuiteError(f"{self.where}: field {name!r}: {value!r} is not a number from 0 to 1")
        return float(value)

    def spans(self) -> dict[str, tuple[str, ...]]:
        value = self.values.pop("spans", {})
        roles = [role for role in ROLES if role != NO_ROLE]
        if not isinstance(value, dict) or not set(value) <= set(roles):
            raise SuiteError(f"{self.where}: field 'spans' is not a mapping of {', '.join(roles)} to lists of words")
        return {role: tuple(map(str, words)) for role, words in value.items()}

    def end(self) -> None:
        if self.values:
            raise SuiteError(f"{self.where}: field {min(self.values)!r} is unknown")


def _side(where: str, values: Any) -> Side:
    reader = _Reader(where, values)
    side = Side(reader.text("text"), reader.label())
    reader.end()
    return side


def _case(where: str, values: Any) -> Case:
    reader = _Reader(where, values)
    case_id, kind = reader.text("id"), reader.text("kind")
    where = reader.where = f"{where} ({case_id})"
    case: Case
    if kind == "swap":
        a = _side(f"{where}: a", reader.values.pop("a", None))
        b = _side(f"{where}: b", reader.values.pop("b", None))
        case = SwapCase(case_id, a, b, reader.ratio("min_order_gap", DEFAULT_MIN_ORDER_GAP))
    elif kind == "minimum":
        case = MinimumCase(case_id, reader.text("text"), reader.label(), reader.spans())
    elif kind == "structural":
        case = StructuralCase(case_id, reader.text("text"))
    else:
        raise SuiteError(f"{where}: field 'kind': {kind!r} is none of swap, minimum, structural")
    reader.end()
    return case


def read_suite(path: Path) -> Suite:
    """Raises SuiteError for a file that is not there, not YAML, or not a suite."""
    try:
        raw = path.read_bytes()
        values = yaml.safe_load(raw)
    except (OSError, UnicodeDecodeError, RecursionError, yaml.YAMLError) as error:
        raise SuiteError(f"{path}: {error}") from error
    reader = _Reader(str(path), values)
    name, description = reader.text("name"), reader.text("description")
    fail_under = reader.ratio("fail_under", 1.0)
    rows = reader.values.pop("cases", None)
    reader.end()
    if not isinstance(rows, list) or not rows:
        raise SuiteError(f"{path}: field 'cases' is missing or empty")
    cases = tuple(_case(f"{path}: case {number}", row) for number, row in enumerate(rows, 1))
    ids = [case.id for case in cases]
    if twice := next((case_id for case_id in ids if ids.count(case_id) > 1), None):
        raise SuiteError(f"{path}: case id {twice!r} is used twice")
    return Suite(name, description, fail_under, cases, hashlib.sha256(raw).hexdigest())


def shipped_suites() -> list[Path]:
    return sorted(SUITES.glob("*.yaml"))
