"""A batch of read mails into the database in one commit, each mail once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import uuid_utils
from sqlalchemy.orm import Session, sessionmaker

from model.decision import Read
from service.conversations import conversation_of, mentions, root
from service.identity import bare_address, content_hash, identity_by_content, identity_by_id
from service.intake.compose import Intake, attached, cut_parts
from service.keeping import Keeping
from service.queries import conversations, emails, reviews
from service.retries import tried_again
from service.schemas.emails import EmailIn, PreviousMail
from service.tables import Email, StoredPrediction

SAME_CONTENT_SECONDS = 600.0


@dataclass(frozen=True)
class Job:
    """A mail to read; with its fields where it is to be stored."""

    intake: Intake
    mail: EmailIn | None = None


@dataclass(frozen=True)
class Stored:
    """What became of a job. created is False where the mail had been answered before, by_content where only its content
    tells that; previous are the mails of its conversation, newest first."""

    prediction: StoredPrediction
    email: Email | None
    read: Read
    text: str
    created: bool = True
    by_content: bool = False
    previous: Sequence[PreviousMail] = ()


@dataclass(frozen=True)
class _Ids:
    """The ids of a job's rows, made before the first try: where the connection is lost while a commit is on its way,
    the next try knows by them whether it arrived."""

    email: str = field(default_factory=lambda: str(uuid_utils.uuid7()))
    prediction: str = field(default_factory=lambda: str(uuid_utils.uuid7()))

    @property
    def moment(self) -> datetime:
        """The one in the mail's id, so that a list in order of ids is in order of time (RFC 9562, section 5.7)."""
        return datetime.fromtimestamp(int(self.email[:8] + self.email[9:13], 16) / 1_000, UTC)


class Storage:
    """Stores batches. same_content_seconds: how long a mail without a message id counts as a copy of the last mail that
    says the same; 0 for never."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        *,
        same_content_seconds: float = SAME_CONTENT_SECONDS,
        keeping: Keeping = Keeping(),  # noqa: B008 — frozen
    ) -> None:
        self._sessions, self._same_content = sessions, timedelta(seconds=same_content_seconds)
        self._keeping = keeping

    def store(self, jobs: Sequence[Job], reads: Sequence[Read], model_version: str) -> list[Stored]:
        """One outcome a job, after the commit. Raises what the database raises, and then nothing is stored."""
        ids = [_Ids() for _ in jobs]

        def work(attempt: int) -> list[Stored]:
            with self._sessions.begin() as session:
                batch = _Batch(session, self._same_content, model_version, self._keeping)
                return batch.store(jobs, reads, ids, again=attempt > 0)

        return tried_again(work)


class _Batch:
    """One try at one batch, in one transaction."""

    def __init__(self, session: Session, same_content: timedelta, model_version: str, keeping: Keeping) -> None:
        self.keeping = keeping
        self.session, self.same_content, self.model_version = session, same_content, model_version
        self.rows: list[Email | StoredPrediction] = []  # to be added
        self.references: dict[str, str] = {}  # likewise, message id → conversation
        self.conversations: set[str] = set()  # that were there before this batch

    def store(self, jobs: Sequence[Job], reads: Sequence[Read], ids: Sequence[_Ids], *, again: bool) -> list[Stored]:
        contents = [content_hash(job.mail.sender, job.mail.to, job.intake.text) if job.mail else "" for job in jobs]
        self._look_up(jobs, contents)
        prediction_ids = [own.prediction for own in ids] if again else []
        arrived = emails.predictions_by_id(self.session, prediction_ids=prediction_ids)
        results = []
        for job, content, read, own in zip(jobs, contents, reads, ids, strict=True):
            if (ours := arrived.get(own.prediction)) is not None:
                results.append(Stored(ours, ours.email, read, job.intake.text))
            else:
                results.append(self._earlier(job, content, read, own) or self._new(job, content, read, own))
        emails.add_predictions(self.session, rows=sorted(self.rows, key=_order))
        reviews.add_reviews(self.session, due=self.keeping.due(self.rows))
        conversations.add_references(self.session, references=self.references)
        before = conversations.previous_mails(self.session, emails=self._continued(results))
        return [
            replace(result, previous=before[result.email.id])
            if result.email is not None and result.email.id in before
            else result
            for result in results
        ]

    def _look_up(self, jobs: Sequence[Job], contents: Sequence[str]) -> None:
        """All that is known of the batch's mails, in a few queries."""
        mails = [(job.mail, content) for job, content in zip(jobs, contents, strict=True) if job.mail is not None]
        message_ids = [mail.message_id for mail, _ in mails if mail.message_id is not None]
        identities = [
            identity_by_id(mail.message_id, content) for mail, content in mails if mail.message_id is not None
        ]
        content_hashes = [content for _, content in mails]
        named = sorted({found for mail, _ in mails for found in mentions(mail)}.union(message_ids))
        self.by_identity, self.by_message_id, self.last_by_content = dict[str, Email](), dict[str, Email](), {}
        self.mails, self.mentioned = dict[str, str](), dict[str, str]()
        if not mails:
            return
        known = emails.known_among(
            self.session, identities=identities, message_ids=named, content_hashes=content_hashes
        )
        if known.identity:
            self.by_identity = emails.emails_by_identity(self.session, identities=identities)
        if known.message_id:
            self.by_message_id = emails.emails_by_message_id(self.session, message_ids=message_ids)
        if known.content:
            self.last_by_content = emails.last_emails_by_content(self.session, content_hashes=content_hashes)
        if known.message_id or known.reference:
            self.mails, self.mentioned = conversations.conversations_by_message_id(self.session, message_ids=named)
        self.conversations.update(self.mails.values(), self.mentioned.values())

    def _continued(self, results: Sequence[Stored]) -> list[Email]:
        """The mails before which there may be others of their conversation."""
        begun = Counter(result.email.conversation_id for result in results if result.email is not None)
        return [
            result.email
            for result in results
            if result.email is not None
            and (
                not result.created
                or begun[result.email.conversation_id] > 1
                or result.email.conversation_id in self.conversations
            )
        ]

    def _earlier(self, job: Job, content: str, read: Read, own: _Ids) -> Stored | None:
        """The outcome of a mail that was answered before."""
        if (mail := job.mail) is None:
            return None
        if mail.message_id is not None:
            found = self.by_identity.get(identity_by_id(mail.message_id, content))
            first = self.by_message_id.get(mail.message_id)
            if found is None and first is not None and first.identity is None:  # a row of 0.1.0
                same = content == content_hash(first.sender, first.recipients, first.text)
                found = first if same else None
        else:
            found = self.last_by_content.get(content) if _tells_itself(job, mail) else None
            if found is not None and not abs(own.moment - found.created_at) < self.same_content:
                found = None
        if found is None:
            return None
        by_content = mail.message_id is None
        return Stored(found.prediction, found, read, found.text, created=False, by_content=by_content)

    def _new(self, job: Job, content: str, read: Read, own: _Ids) -> Stored:
        prediction = self._prediction(job, read, own)
        if (mail := job.mail) is None:
            self.rows.append(prediction)
            return Stored(prediction, None, read, job.intake.text)
        reused = mail.message_id is not None and mail.message_id in self.by_message_id
        if mail.message_id is not None:
            identity = identity_by_id(mail.message_id, content)
        elif _tells_itself(job, mail):
            last = self.last_by_content.get(content)
            identity = identity_by_content(content, last.id if last is not None else None)
        else:
            identity = None
        email = Email(
            id=own.email,
            message_id=None if reused else mail.message_id,
            reused_message_id=mail.message_id if reused else None,
            sender=mail.sender,
            sender_address=bare_address(mail.sender),
            recipients=mail.to,
            subject=mail.subject,
            text=job.intake.text,
            content_hash=content,
            identity=identity,
            conversation_id=self._conversation(mail, own.email, reused=reused),
            received_at=mail.received_at,
            details=mail.metadata,
            source=job.intake.source,
            cut=cut_parts(job.intake),
            context=job.intake.context,
            attachments=attached(job.intake),
            created_at=own.moment,
            prediction=prediction,
            feedback=[],
        )
        self.rows.append(self.keeping.row(email))
        self.last_by_content[content] = email
        if mail.message_id is not None and identity is not None:
            self.by_identity[identity] = email
            self.by_message_id.setdefault(mail.message_id, email)
        return Stored(prediction, email, read, job.intake.text)

    def _prediction(self, job: Job, read: Read, own: _Ids) -> StoredPrediction:
        prediction, kept = read.prediction, job.mail is not None  # of a text that is not stored only numbers are
        return StoredPrediction(
            id=own.prediction,
            model_version=self.model_version,
            label=prediction.label,
            confidence=prediction.confidence,
            probabilities=prediction.probabilities,
            spans=[dict(vars(span)) for span in prediction.spans] if kept else [],
            order_check=dict(vars(read.check)) if read.check is not None and kept else None,
            decision=read.decision.decision,
            reasons=list(read.decision.reasons),
            truncated=prediction.truncated,
            created_at=own.moment,
        )

    def _conversation(self, mail: EmailIn, email_id: str, *, reused: bool) -> str:
        """The conversation of the nearest message that is known, of one that already answered this mail, or a new one.
        A message id that others used before says nothing about this mail's thread."""
        own_id = mail.message_id if not reused else None
        answered = mentions(mail)
        known = [*(self.mails.get(key) or self.mentioned.get(key) for key in answered)]
        if own_id is not None:
            known.append(self.mentioned.get(own_id))
        begun_by = root(mail) or own_id
        new = conversation_of(begun_by) if begun_by is not None else email_id
        conversation = next((key for key in known if key is not None), new)
        for key in answered:
            if key not in self.mails and key not in self.mentioned:
                self.mentioned[key] = self.references[key] = conversation
        if own_id is not None:
            self.mails[own_id] = conversation
        return conversation


def _tells_itself(job: Job, mail: EmailIn) -> bool:
    """Whether a mail without a message id can be known again: somebody wrote something."""
    return mail.sender is not None and bool(job.intake.text.strip())


def _order(row: Email | StoredPrediction) -> str:
    """One order for all processes, so that two with the same mails do not wait for each other."""
    return (row.message_id or row.identity or "") if isinstance(row, Email) else ""
