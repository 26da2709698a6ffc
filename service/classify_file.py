"""Labelling without a service: mails in, answers with the same ids out, in order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from model.classifier import Classifier
from model.decision import Overrides, read_texts
from service.intake.compose import attached, cut_parts
from service.left_off import as_far_as_read
from service.mail_files import Mail

BATCH = 64
TERMINAL = Path("-")  # as a file to write


def write(lines: Iterable[str], target: Path | None) -> None:
    """To the terminal, or to a file that is whole or, after a fault, as it was; a device is written as it is."""
    if target is None or target == TERMINAL:
        for line in lines:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    by_rename = not target.exists() or target.is_file()
    path = target.with_name(target.name + ".partial") if by_rename else target
    try:
        with path.open("w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in lines)
        if by_rename:
            path.replace(target)
    except OSError:
        if by_rename:
            path.unlink(missing_ok=True)
        raise


def answers(
    classifier: Classifier,
    mails: list[Mail],
    auto_threshold: float,
    overrides: Overrides,
    advance: Callable[[int], None],
) -> Iterator[dict[str, Any]]:
    """One answer a mail, in order, with the fields of the HTTP answer that need no database."""
    for start in range(0, len(mails), BATCH):
        batch = mails[start : start + BATCH]
        reads = read_texts(
            classifier,
            [mail.intake.text for mail in batch],
            default_threshold=auto_threshold,
            overrides=overrides,
            automatic=[mail.intake.automatic for mail in batch],
        )
        for mail, result in zip(batch, reads, strict=True):
            intake, read = mail.intake, as_far_as_read(result, mail.intake)
            prediction, check = read.prediction, read.check
            yield {
                "id": mail.id,
                "label": prediction.label,
                "confidence": prediction.confidence,
                "decision": read.decision.decision,
                "reasons": list(read.decision.reasons),
                "probabilities": [{"label": k, "probability": v} for k, v in prediction.probabilities.items()],
                "spans": [asdict(span) for span in prediction.spans],
                "order_check": asdict(check) if check is not None else None,
                "text": intake.text,
                "source": intake.source,
                "cut": cut_parts(intake),
                "context": intake.context,
                "attachments": attached(intake),
                "truncated": prediction.truncated,
                "model_version": classifier.version,
            }
        advance(len(batch))
