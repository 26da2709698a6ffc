"""A suite that a model passes, whatever it says: each mail is expected to be what the model takes it for."""

from __future__ import annotations

from pathlib import Path

import yaml

from model.classifier import Classifier
from model.config import LABELS

TEXTS = ("refund the cake", "refund the delivery fee", "my shop")


def write_suite(path: Path, classifier: Classifier, *, wrong: str | None = None) -> Path:
    """wrong: the severity of one more case, which the model fails."""
    cases = [
        {"id": f"easy{number}", "kind": "minimum", "text": text, "label": prediction.label}
        for number, (text, prediction) in enumerate(zip(TEXTS, classifier.predict(list(TEXTS)), strict=True))
    ]
    if wrong is not None:
        other = next(label for label in LABELS if label != cases[0]["label"])
        cases.append({"id": "hard", "kind": "minimum", "text": TEXTS[0], "label": other, "severity": wrong})
    path.write_text(yaml.safe_dump({"name": "easy", "description": "for tests", "fail_under": 1.0, "cases": cases}))
    return path
