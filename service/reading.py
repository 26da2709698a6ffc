"""A batch's way: read by the model, checked for order, decided, stored in one commit, answered."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier, Spent
from model.decision import NO_OVERRIDES, Overrides, Read, read_texts
from service.keeping import Keeping
from service.left_off import as_far_as_read
from service.metrics import CONFIDENCE, ORDER_CHECKS, PREDICTIONS, REVIEW_REASONS, STAGE_SECONDS
from service.redaction import redact
from service.stages import stage
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
        overrides: Overrides = NO_OVERRIDES,
        keeping: Keeping = Keeping(),  # noqa: B008 — frozen
    ) -> None:
        self.classifier, self._auto_threshold = classifier, auto_threshold
        self._storage = Storage(sessions, same_content_seconds=same_content_seconds, keeping=keeping)
        self.overrides = overrides

    def threshold(self, label: str) -> float:
        """Least confidence for `auto`, as it stands."""
        return self.overrides.threshold(label, self.classifier.card.thresholds, self._auto_threshold)

    def warm_up(self) -> None:
        """Load what the first mail would wait for, or fail for where no file can be opened: the language identifier and
        the libraries that know private numbers. Takes half a second."""
        read_texts(self.classifier, ["refund"], default_threshold=self._auto_threshold)
        redact("+1")

    def process(self, jobs: Sequence[Job]) -> list[Stored | Exception]:
        """Answer a batch, after the commit. Raises what the database raises, and then nothing is stored."""
        spent = Spent()
        intakes = [job.intake for job in jobs]
        classifier = self.classifier  # one for the whole batch: another may be put in its place meanwhile
        with stage("inference"):
            reads = read_texts(
                classifier,
                [intake.text for intake in intakes],
                default_threshold=self._auto_threshold,
                overrides=self.overrides,
                automatic=[intake.automatic for intake in intakes],
                spent=spent,
            )
        reads = [as_far_as_read(read, intake) for read, intake in zip(reads, intakes, strict=True)]
        STAGE_SECONDS.labels("tokenize").observe(spent.tokenize_seconds)
        STAGE_SECONDS.labels("inference").observe(spent.inference_seconds)
        started = perf_counter()
        with stage("store"):
            stored = self._storage.store(jobs, reads, classifier.version)
        STAGE_SECONDS.labels("store").observe(perf_counter() - started)
        for read, result in zip(reads, stored, strict=True):
            if result.created:
                self._count(read, classifier.version)
        return list(stored)

    def _count(self, read: Read, model_version: str) -> None:
        prediction, decision = read.prediction, read.decision
        PREDICTIONS.labels(prediction.label, decision.decision, model_version).inc()
        CONFIDENCE.labels(prediction.label).observe(prediction.confidence)
        for reason in decision.reasons:
            REVIEW_REASONS.labels(reason).inc()
        if read.check is not None:
            ORDER_CHECKS.labels("passed" if read.check.passed else "failed").inc()
