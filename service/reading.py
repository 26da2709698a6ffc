"""A batch's way: read by the model, checked for order, decided, stored in one commit, answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from time import perf_counter

import uuid_utils
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier
from model.decision import Read, read_texts
from service.intake.compose import Intake, attached, cut_parts
from service.metrics import ORDER_CHECKS, PREDICTIONS, STAGE_SECONDS
from service.queries import emails as queries
from service.schemas.emails import EmailIn
from service.tables import Email, StoredPrediction

STORE_TRIES = 3


@dataclass(frozen=True)
class Job:
    """A mail to read; with its fields where it is to be stored."""

    intake: Intake
    mail: EmailIn | None = None


@dataclass(frozen=True)
class Stored:
    """What became of a job. created is False where the mail had been answered before."""

    prediction: StoredPrediction
    email: Email | None
    read: Read
    text: str
    created: bool = True


class Reader:
    """Reads and stores batches; one instance a process. Its classifier may be exchanged between two batches."""

    def __init__(self, classifier: Classifier, sessions: sessionmaker[Session], *, auto_threshold: float) -> None:
        self.classifier, self._sessions, self._auto_threshold = classifier, sessions, auto_threshold

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
        stored = self._store_or_find(jobs, reads, classifier.version)
        STAGE_SECONDS.labels("store").observe(perf_counter() - started)
        for read, result in zip(reads, stored, strict=True):
            if result.created:
                PREDICTIONS.labels(read.prediction.label, read.decision.decision).inc()
                if read.check is not None:
                    ORDER_CHECKS.labels("passed" if read.check.passed else "failed").inc()
        return list(stored)

    def _store_or_find(self, jobs: Sequence[Job], reads: Sequence[Read], model_version: str) -> list[Stored]:
        """Store, and again where another process stored one of these message ids meanwhile: then it is found."""
        for _ in range(STORE_TRIES - 1):
            try:
                return self._store(jobs, reads, model_version)
            except IntegrityError:
                continue
        return self._store(jobs, reads, model_version)

    def _store(self, jobs: Sequence[Job], reads: Sequence[Read], model_version: str) -> list[Stored]:
        ids = [job.mail.message_id for job in jobs if job.mail is not None and job.mail.message_id is not None]
        with self._sessions.begin() as session:
            known = queries.emails_by_message_id(session, message_ids=ids) if ids else {}
            results: list[Stored] = []
            rows: list[Email | StoredPrediction] = []
            for job, read in zip(jobs, reads, strict=True):
                message_id = job.mail.message_id if job.mail is not None else None
                if message_id is not None and message_id in known:
                    earlier = known[message_id]
                    results.append(Stored(earlier.prediction, earlier, read, earlier.text, created=False))
                    continue
                prediction, email = self._rows(job, read, model_version)
                rows.append(email if email is not None else prediction)
                results.append(Stored(prediction, email, read, job.intake.text))
                if message_id is not None and email is not None:
                    known[message_id] = email
            rows.sort(key=lambda row: getattr(row, "message_id", None) or "")  # one order for all: no deadlock
            queries.add_predictions(session, rows=rows)
        return results

    def _rows(self, job: Job, read: Read, model_version: str) -> tuple[StoredPrediction, Email | None]:
        now = datetime.now(UTC)
        mail, intake, prediction = job.mail, job.intake, read.prediction
        stored = StoredPrediction(
            id=str(uuid_utils.uuid7()),
            model_version=model_version,
            label=prediction.label,
            confidence=prediction.confidence,
            probabilities=prediction.probabilities,
            spans=[asdict(span) for span in prediction.spans] if mail is not None else [],
            order_check=asdict(read.check) if read.check is not None and mail is not None else None,
            decision=read.decision.decision,
            reasons=list(read.decision.reasons),
            truncated=prediction.truncated,
            created_at=now,
        )
        if mail is None:
            return stored, None
        return stored, Email(
            id=str(uuid_utils.uuid7()),
            message_id=mail.message_id,
            sender=mail.sender,
            recipients=mail.to,
            subject=mail.subject,
            text=intake.text,
            received_at=mail.received_at,
            details=mail.metadata,
            source=intake.source,
            cut=cut_parts(intake),
            context=intake.context,
            attachments=attached(intake),
            created_at=now,
            prediction=stored,
        )
