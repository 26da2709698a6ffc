"""Run suites on a classifier. Every case is reported, passed ones too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from model.checks.cases import Case
from model.checks.judge import Answer, Ask, asks, judge
from model.checks.results import CaseResult, RunResult
from model.checks.schema import Suite
from model.classifier import Classifier, Prediction
from model.decision import read_texts

BATCH = 32
DEFAULT_AUTO_THRESHOLD = 0.95  # the service's default; used where a model's card names none

Progress = Callable[[int, int], None]


def _batches(wanted: Sequence[Ask]) -> Iterator[list[Ask]]:
    """Alike asks together, shortest text first: little padding, and a batch's time is its texts' in equal shares.

    An ask that names its company is a batch of its own.
    """
    for decide in (False, True):
        for positions in (True, False):
            alike = [ask for ask in wanted if (ask.decide, ask.positions, ask.company) == (decide, positions, None)]
            alike.sort(key=lambda ask: len(ask.text))
            yield from (alike[start : start + BATCH] for start in range(0, len(alike), BATCH))
    yield from ([ask] for ask in wanted if ask.company is not None)


def _answer(batch: list[Ask], classifier: Classifier, auto_threshold: float) -> list[Answer]:
    texts = [ask.text for ask in batch] + [text for ask in batch for text in ask.company or ()]
    found: list[tuple[Prediction, str | None]]
    started = time.perf_counter()
    if batch[0].decide:
        read = read_texts(classifier, texts, default_threshold=auto_threshold)
        found = [(entry.prediction, entry.decision.decision) for entry in read]
    else:
        found = [(prediction, None) for prediction in classifier.predict(texts, positions=batch[0].positions)]
    seconds = (time.perf_counter() - started) / len(batch)
    return [Answer(prediction, seconds, decision) for prediction, decision in found[: len(batch)]]


def run_cases(
    cases: Sequence[Case],
    classifier: Classifier,
    progress: Progress = lambda *_: None,
    *,
    auto_threshold: float = DEFAULT_AUTO_THRESHOLD,
) -> tuple[CaseResult, ...]:
    """Read every text once, in batches, then judge case by case. progress is told (texts read, texts)."""
    asked = [asks(case) for case in cases]
    wanted = list(dict.fromkeys(ask for each in asked for ask in each))
    answers: dict[Ask, Answer] = {}
    for batch in _batches(wanted):
        answers.update(zip(batch, _answer(batch, classifier, auto_threshold), strict=True))
        progress(len(answers), len(wanted))
    return tuple(judge(case, [answers[ask] for ask in each]) for case, each in zip(cases, asked, strict=True))


def run_suite(
    suite: Suite,
    classifier: Classifier,
    progress: Progress = lambda *_: None,
    *,
    auto_threshold: float = DEFAULT_AUTO_THRESHOLD,
) -> RunResult:
    """One execution; nothing of it is kept. progress is told (texts read, texts)."""
    started = time.perf_counter()
    results = run_cases(suite.cases, classifier, progress, auto_threshold=auto_threshold)
    return RunResult(suite, classifier.version, results, time.perf_counter() - started)
