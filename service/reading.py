"""A batch's way: read by the model, checked for order, decided, stored in one commit, answered."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier
from model.decision import read_texts
from service.metrics import ORDER_CHECKS, PREDICTIONS, STAGE_SECONDS
from service.storing import SAME_CONTENT_SECONDS, Storage
from service.storing import Job as Job
from service.storing import Stored as Stored


class Reader:
    """Reads and stores batches; one instance a process. Its classifier may be exchanged between two batches."""

    def __init__(
        self,
        classifier: Classifier,
        sessions: sessionmaker[Session],
        *,
        auto_threshold: float,
        same_content_seconds: float = SAME_CONTENT_SECONDS,
    ) -> None:
        self.classifier, self._auto_threshold = classifier, auto_threshold
        self._storage = Storage(sessions, same_content_seconds=same_content_seconds)

    def threshold(self, label: str) -> float:
        return self.classifier.card.thresholds.get(label, self._auto_threshold)

    def process(self, jobs: Sequence[Job]) -> list[Stored | Exception]:
        """Answer a batch, after the commit. Raises what the database raises, and then nothing is stored."""
        started = perf_counter()
        intakes = [job.intake for job in jobs]
        classifier = self.classifier  # one for the whole batch: another may be put in its place meanwhile
        reads = read_texts(
            classifier,
            [intake.text for intake in intakes],
            default_threshold=self._auto_threshold,
            automatic=[intake.automatic for intake in intakes],
        )
        STAGE_SECONDS.labels("inference").observe(perf_counter() - started)
        started = perf_counter()
        stored = self._storage.store(jobs, reads, classifier.version)
        STAGE_SECONDS.labels("store").observe(perf_counter() - started)
        for read, result in zip(reads, stored, strict=True):
            if result.created:
                PREDICTIONS.labels(read.prediction.label, read.decision.decision).inc()
                if read.check is not None:
                    ORDER_CHECKS.labels("passed" if read.check.passed else "failed").inc()
        return list(stored)
