"""What a case asks the model, and the verdict on its answers: two small functions a kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from model.checks.cases import (
    MAX_FILLER_WORDS,
    Case,
    DirectionalCase,
    InvarianceCase,
    MinimumCase,
    Side,
    StructuralCase,
    SwapCase,
)
from model.checks.filler import filler
from model.checks.results import CaseResult, Control, Reading
from model.classifier import Prediction

SHUFFLES = 8
SHUFFLED_MOST = 5 / SHUFFLES  # of the shuffles that may get a pair right: chance gets a quarter, six of eight 1 in 250
BLIND_TOLERANCE = 1e-5  # probabilities of two orders that must read the same
ALONE_TOLERANCE = 1e-5  # a batch of another shape rounds otherwise, by 1.2e-7 on the released model
SIGHTED_MINIMUM = 1e-3  # the least that some order must move them when positions are on


@dataclass(frozen=True)
class Ask:
    """A text to read, with positions on or off; `decide`: whether auto or review is asked too.

    company: the other texts of its batch, none where it is to be read by itself; None where they do not matter.
    """

    text: str
    positions: bool = True
    decide: bool = False
    company: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Answer:
    """What the model says of an Ask."""

    prediction: Prediction
    seconds: float
    decision: str | None = None


def _shuffled(text: str, seed: str, number: int = SHUFFLES) -> list[str]:
    rng = random.Random(seed)
    words = text.split()
    return [" ".join(rng.sample(words, len(words))) for _ in range(number)]


def asks(case: Case) -> list[Ask]:
    """The texts that the case needs read, in the order in which `judge` takes their answers."""
    if isinstance(case, MinimumCase):
        return [Ask(case.text, decide=case.decision is not None)]
    if not isinstance(case, StructuralCase):
        return [Ask(text) for text in case.texts()]
    if case.check == "alone":
        (text,) = case.texts()
        long = filler(MAX_FILLER_WORDS, "en", random.Random(case.id))  # its words do not matter, only its length
        return [Ask(text, company=()), Ask(text, company=(long,))]
    if case.pair is None:
        (text,) = case.texts()
        orders = [text, *_shuffled(text, case.id)]
        return [Ask(order, positions) for positions in (True, False) for order in orders]
    sighted = [Ask(text) for text in case.texts()]
    if case.blind == "positions":
        return sighted + [Ask(text, positions=False) for text in case.texts()]
    return sighted + [
        Ask(text)
        for name, side in zip("ab", case.pair, strict=True)
        for text in _shuffled(side.text, f"{case.id}/{name}")
    ]


def judge(case: Case, answers: Sequence[Answer]) -> CaseResult:
    """The verdict; answers stand in the order of `asks(case)`."""
    if isinstance(case, SwapCase):
        return _judge_swap(case, answers)
    if isinstance(case, InvarianceCase):
        return _judge_invariance(case, answers)
    if isinstance(case, MinimumCase):
        return _judge_minimum(case, answers[0])
    if isinstance(case, DirectionalCase):
        return _judge_directional(case, answers)
    if case.check == "alone":
        return _judge_alone(case, answers)
    return _judge_orders(case, answers) if case.pair is None else _judge_blind_pair(case, case.pair, answers)


def _reading(name: str, text: str, expected: str | None, answer: Answer) -> Reading:
    prediction = answer.prediction
    return Reading(text, expected, prediction.label, prediction.confidence, name, prediction.spans, answer.seconds)


def _gap(label: str, a: Prediction, b: Prediction) -> float:
    return abs(a.probabilities[label] - b.probabilities[label])


def _judge_swap(case: SwapCase, answers: Sequence[Answer]) -> CaseResult:
    a, b = answers
    readings = (_reading("a", case.a.text, case.a.label, a), _reading("b", case.b.text, case.b.label, b))
    gap = _gap(case.a.label, a.prediction, b.prediction)
    wrong = [f"{r.name} read as {r.label}" for r in readings if r.label != r.expected]
    if gap < case.min_order_gap:
        wrong.append(f"order gap {gap:.2f} is under {case.min_order_gap:.2f}")
    return CaseResult(case, not wrong, "; ".join(wrong), readings, gap)


def _judge_invariance(case: InvarianceCase, answers: Sequence[Answer]) -> CaseResult:
    expected = case.label or answers[0].prediction.label
    readings = [_reading("text", case.text, expected, answers[0])]
    readings += [
        _reading(variant.edit, variant.text, expected, answer)
        for variant, answer in zip(case.variants, answers[1:], strict=True)
    ]
    wrong = [f"{r.name} read as {r.label}" for r in readings if r.label != expected]
    return CaseResult(case, not wrong, "; ".join(wrong), tuple(readings))


def _judge_minimum(case: MinimumCase, answer: Answer) -> CaseResult:
    prediction = answer.prediction
    wrong = [] if prediction.label == case.label else [f"read as {prediction.label}"]
    for role, words in case.spans.items():
        found = {span.text.casefold() for span in prediction.spans if span.role == role}
        if missing := [word for word in words if word.casefold() not in found]:
            wrong.append(f"{role} span {missing[0]!r} not found (found: {', '.join(sorted(found)) or 'none'})")
    if case.decision is not None and answer.decision != case.decision:
        wrong.append(f"decision is {answer.decision}, not {case.decision}")
    return CaseResult(case, not wrong, "; ".join(wrong), (_reading("text", case.text, case.label, answer),))


def _judge_directional(case: DirectionalCase, answers: Sequence[Answer]) -> CaseResult:
    before, after = (answer.prediction.probabilities[case.label] for answer in answers)
    moved = after - before
    readings = (_reading("text", case.text, None, answers[0]), _reading("changed", case.after, None, answers[1]))
    passed = moved >= case.by if case.by > 0 else moved <= case.by
    asked = f"{'rise' if case.by > 0 else 'fall'} by {abs(case.by):.2f}"
    reason = f"{case.label} went from {before:.2f} to {after:.2f}, which is no {asked}"
    return CaseResult(case, passed, "" if passed else reason, readings)


def _spread(answers: Sequence[Answer]) -> float:
    """The farthest that any label's probability lies from that of the first answer."""
    first = answers[0].prediction.probabilities
    others = (answer.prediction.probabilities for answer in answers[1:])
    return max(abs(other[label] - first[label]) for other in others for label in first)


def _judge_orders(case: StructuralCase, answers: Sequence[Answer]) -> CaseResult:
    sighted, blind = answers[: 1 + SHUFFLES], answers[1 + SHUFFLES :]
    leak, moved = _spread(blind), _spread(sighted)
    wrong = []
    if leak > BLIND_TOLERANCE:
        wrong.append(f"with positions off the order still moves a probability by {leak:.1e}")
    if moved < SIGHTED_MINIMUM:
        wrong.append(f"with positions on no order moves a probability by more than {moved:.1e}")
    reading = _reading("text", case.texts()[0], None, answers[0])
    return CaseResult(case, not wrong, "; ".join(wrong), (reading,))


def _judge_alone(case: StructuralCase, answers: Sequence[Answer]) -> CaseResult:
    moved = _spread(answers)
    (text,) = case.texts()
    readings = tuple(
        _reading(name, text, None, answer) for name, answer in zip(("alone", "beside"), answers, strict=True)
    )
    reason = f"beside a mail of {MAX_FILLER_WORDS} words a probability moves by {moved:.1e}"
    passed = moved <= ALONE_TOLERANCE
    return CaseResult(case, passed, "" if passed else reason, readings)


def _judge_blind_pair(case: StructuralCase, sides: tuple[Side, Side], answers: Sequence[Answer]) -> CaseResult:
    readings = tuple(
        _reading(name, side.text, side.label, answer) for name, side, answer in zip("ab", sides, answers, strict=False)
    )
    draws = (len(answers) - 2) // 2
    firsts, seconds = answers[2 : 2 + draws], answers[2 + draws :]
    both = [
        a.prediction.label == sides[0].label and b.prediction.label == sides[1].label
        for a, b in zip(firsts, seconds, strict=True)
    ]
    control = Control(str(case.blind), all(r.label == r.expected for r in readings), sum(both) / draws)
    most = 0.0 if case.blind == "positions" else SHUFFLED_MOST
    how = "with positions off" if case.blind == "positions" else "with its words shuffled"
    reason = f"{how} the pair is still right in {sum(both)} of {draws} readings"
    passed = control.blind_ratio <= most
    gap = _gap(sides[0].label, answers[0].prediction, answers[1].prediction)
    return CaseResult(case, passed, "" if passed else reason, readings, gap, control)
