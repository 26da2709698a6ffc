"""Run suites on a classifier. Every case is reported, passed ones too."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from model.checks.schema import Case, MinimumCase, StructuralCase, Suite, SwapCase
from model.classifier import Classifier, Prediction

BATCH = 32
SHUFFLES = 8
BLIND_TOLERANCE = 1e-5  # probabilities of two orders that must read the same
SIGHTED_MINIMUM = 1e-3  # the least that some order must move them when positions are on


@dataclass(frozen=True)
class Reading:
    """One text of a case as the model read it; label and confidence are the model's."""

    text: str
    expected: str | None
    label: str
    confidence: float


@dataclass(frozen=True)
class CaseResult:
    """One case's verdict with what it rests on. order_gap is None for cases that have no pair."""

    case: Case
    passed: bool
    reason: str  # empty where the case passed
    readings: tuple[Reading, ...]
    order_gap: float | None = None


@dataclass(frozen=True)
class RunResult:
    """One execution of a suite on one model."""

    suite: Suite
    model_version: str
    results: tuple[CaseResult, ...]

    @property
    def pass_ratio(self) -> float:
        return sum(result.passed for result in self.results) / len(self.results)

    @property
    def passed(self) -> bool:
        return self.pass_ratio >= self.suite.fail_under

    @property
    def pair_accuracy(self) -> float | None:
        """Share of the swap pairs whose two members both got their label."""
        pairs = [r for r in self.results if isinstance(r.case, SwapCase)]
        both = sum(all(reading.label == reading.expected for reading in r.readings) for r in pairs)
        return both / len(pairs) if pairs else None

    @property
    def both_same_ratio(self) -> float | None:
        """Share of the swap pairs whose two members got one and the same label: the mistake this is all about."""
        pairs = [r for r in self.results if isinstance(r.case, SwapCase)]
        same = sum(r.readings[0].label == r.readings[1].label for r in pairs)
        return same / len(pairs) if pairs else None


def _reading(text: str, expected: str | None, prediction: Prediction) -> Reading:
    return Reading(text, expected, prediction.label, prediction.confidence)


def _judge_swap(case: SwapCase, a: Prediction, b: Prediction) -> CaseResult:
    readings = (_reading(case.a.text, case.a.label, a), _reading(case.b.text, case.b.label, b))
    gap = abs(a.probabilities[case.a.label] - b.probabilities[case.a.label])
    wrong = [f"{side} read as {r.label}" for side, r in zip("ab", readings, strict=True) if r.label != r.expected]
    if gap < case.min_order_gap:
        wrong.append(f"order gap {gap:.2f} is under {case.min_order_gap:.2f}")
    return CaseResult(case, not wrong, "; ".join(wrong), readings, gap)


def _judge_minimum(case: MinimumCase, prediction: Prediction) -> CaseResult:
    wrong = [] if prediction.label == case.label else [f"read as {prediction.label}"]
    for role, words in case.spans.items():
        found = {span.text.casefold() for span in prediction.spans if span.role == role}
        if missing := [word for word in words if word.casefold() not in found]:
            wrong.append(f"{role} span {missing[0]!r} not found (found: {', '.join(sorted(found)) or 'none'})")
    return CaseResult(case, not wrong, "; ".join(wrong), (_reading(case.text, case.label, prediction),))


def _judge_structural(case: StructuralCase, classifier: Classifier) -> CaseResult:
    rng = random.Random(case.id)
    words = case.text.split()
    orders = [" ".join(rng.sample(words, len(words))) for _ in range(SHUFFLES)]
    blind = classifier.predict_proba([case.text, *orders], positions=False)
    sighted = classifier.predict_proba([case.text, *orders])
    leak = float(abs(blind[1:] - blind[0]).max())
    moved = float(abs(sighted[1:] - sighted[0]).max())
    wrong = []
    if leak > BLIND_TOLERANCE:
        wrong.append(f"with positions off the order still moves a probability by {leak:.1e}")
    if moved < SIGHTED_MINIMUM:
        wrong.append(f"with positions on no order moves a probability by more than {moved:.1e}")
    reading = _reading(case.text, None, classifier.predict([case.text])[0])
    return CaseResult(case, not wrong, "; ".join(wrong), (reading,))


def run_suite(
    suite: Suite, classifier: Classifier, progress: Callable[[int, int], None] = lambda *_: None
) -> RunResult:
    """Read every text of the suite in batches, then judge case by case. progress is told (texts read, texts)."""
    texts = [text for case in suite.cases if not isinstance(case, StructuralCase) for text in _texts(case)]
    predictions: list[Prediction] = []
    for start in range(0, len(texts), BATCH):
        predictions += classifier.predict(texts[start : start + BATCH])
        progress(len(predictions), len(texts))
    answers = iter(predictions)
    results = []
    for case in suite.cases:
        if isinstance(case, SwapCase):
            a, b = islice(answers, 2)
            results.append(_judge_swap(case, a, b))
        elif isinstance(case, MinimumCase):
            results.append(_judge_minimum(case, next(answers)))
        else:
            results.append(_judge_structural(case, classifier))
    return RunResult(suite, classifier.version, tuple(results))


def _texts(case: SwapCase | MinimumCase) -> tuple[str, ...]:
    return (case.a.text, case.b.text) if isinstance(case, SwapCase) else (case.text,)
