"""A text read as written and as arranged: what /v1/explain answers and the order lab shows."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from model.classifier import Classifier
from model.explain import Broken, Reading
from service.errors import InvalidRequest
from service.schemas.emails import LabelProbability, SpanOut
from service.schemas.explain import MAX_EXPLAIN_WORDS, ExplainIn, ExplainOut, ReadingOut, TokenOut, WordOut

ATTENTION_DIGITS = 4


def explain(classifier: Classifier, asked: ExplainIn) -> ExplainOut:
    """Raises InvalidRequest, with both numbers, where a text is too long or an order or head does not exist."""
    explainer = classifier.explainer
    heads_off = [(entry.layer, entry.head) for entry in asked.heads_off]
    try:
        broken = explainer.split(asked.text)
        if len(broken.words) > MAX_EXPLAIN_WORDS:
            raise InvalidRequest(f"text: {len(broken.words)} words are more than the {MAX_EXPLAIN_WORDS} laid open")
        if asked.attention_from is not None and asked.attention_from >= len(broken.words):
            raise InvalidRequest(f"attention_from: there are {len(broken.words)} words, counted from 0")
        as_written = explainer.read(broken, positions=asked.positions, heads_off=heads_off)
        arranged = as_written
        if asked.order is not None and asked.order != list(range(len(broken.words))):
            arranged = explainer.read(broken, order=asked.order, positions=asked.positions, heads_off=heads_off)
    except ValueError as error:
        raise InvalidRequest(str(error)) from error
    return ExplainOut(
        model_version=classifier.version,
        position_scheme=classifier.config.positions,
        n_layers=classifier.config.n_layers,
        n_heads=classifier.config.n_heads,
        words=[WordOut(text=word.text, start=word.start, end=word.end) for word in broken.words],
        as_written=_reading(as_written),
        arranged=_reading(arranged),
        order_gap=abs(as_written.confidence - arranged.probabilities[as_written.label]),
        attention=_attention(broken, arranged, asked.attention_from) if asked.attention else None,
    )


def _reading(reading: Reading) -> ReadingOut:
    return ReadingOut(
        text=reading.text,
        label=reading.label,
        confidence=reading.confidence,
        probabilities=[LabelProbability(label=label, probability=p) for label, p in reading.probabilities.items()],
        spans=[SpanOut(**asdict(span)) for span in reading.spans],
        tokens=[TokenOut(**asdict(token)) for token in reading.tokens],
    )


def _attention(broken: Broken, reading: Reading, from_word: int | None) -> list[list[list[list[float]]]]:
    weights = reading.attention  # (layers, heads, tokens, tokens)
    if from_word is not None:
        rows = [n for n, token in enumerate(reading.tokens) if token.word == from_word]
        if not rows:
            raise InvalidRequest(f"attention_from: the model has no token for {broken.words[from_word].text!r}")
        weights = weights[:, :, rows].mean(axis=2, keepdims=True)
    result: list[list[list[list[float]]]] = np.round(weights.astype(np.float64), ATTENTION_DIGITS).tolist()
    return result
