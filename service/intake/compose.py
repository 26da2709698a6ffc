"""What is read of a mail: its subject and its writer's own words, from its text, or its HTML where it has no text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from service.intake import clients, plain
from service.intake.body import Attachment
from service.intake.cut import MAX_POINTER_WORDS, CutPart, Hints, own_words
from service.intake.html import read_html
from service.intake.mime import ParsedMail

Source = Literal["plain", "html", "subject"]

MAX_CUT_CHARACTERS = 200_000  # a longer body is kept whole: the model reads no further, and cutting has to end in time
MAX_BODY_CHARACTERS = 5_000_000  # of a raw mail's body are kept, as many as of a JSON mail's


@dataclass(frozen=True)
class Intake:
    """A mail made ready to be read. source: where its words come from, None where there are none; cut: what was taken
    from the body; context: another's words that the writer answers; attachments: None where the mail came as JSON;
    truncated: its HTML has more elements than are read."""

    text: str
    source: Source | None = None
    cut: tuple[CutPart, ...] = ()
    context: str | None = None
    attachments: tuple[Attachment, ...] | None = None
    automatic: bool = False
    truncated: bool = False


def cut_parts(intake: Intake) -> list[dict[str, Any]]:
    """As they are stored and answered; where in the body they stood is not told, for the body is not kept."""
    return [{"kind": part.kind, "text": part.text} for part in intake.cut]


def attached(intake: Intake) -> list[dict[str, Any]] | None:
    return None if intake.attachments is None else [asdict(entry) for entry in intake.attachments]


def compose(*, subject: str | None, text: str | None, html: str | None, cut: bool = True) -> Intake:
    """`Subject: …`, an empty line, the body; as the training mails have it. cut=False keeps the body whole."""
    return under_subject(subject, read_body(text, html, subject, cut_up_to=MAX_CUT_CHARACTERS if cut else 0))


def compose_mail(mail: ParsedMail) -> Intake:
    """The same of a raw mail. Of an encrypted one nothing is read, not its subject either."""
    body = Intake("") if _is_sealed(mail) else under_subject(mail.subject, _with_forwarded(mail, MAX_CUT_CHARACTERS))
    return replace(body, attachments=mail.attachments, automatic=mail.automatic is not None)


def _is_sealed(mail: ParsedMail) -> bool:
    readable = mail.html is not None or (mail.text is not None and not plain.is_encrypted(mail.text))
    return mail.encrypted and not readable


def _with_forwarded(mail: ParsedMail, cut_up_to: int) -> Intake:
    """The own words of a body, and of the mail attached to it where there are none or a note that points to it."""
    if _is_sealed(mail):
        return Intake("")
    answers = mail.in_reply_to is not None
    text = mail.text and mail.text[:MAX_BODY_CHARACTERS]
    own = read_body(text, mail.html, mail.subject, answers=answers, cut_up_to=cut_up_to)
    if not mail.forwarded or not _points_on(own.text):
        return own
    seen = len(own.text) + sum(len(part.text) for part in own.cut)
    inner = _with_forwarded(mail.forwarded[0], max(cut_up_to - seen, 0))
    text = f"{own.text}\n\n{inner.text}".strip()
    return replace(
        own,
        text=text,
        source=inner.source or own.source,
        cut=own.cut + inner.cut,
        context=own.context or inner.context,
        truncated=own.truncated or inner.truncated,
    )


def _points_on(note: str) -> bool:
    seen = note[:10_000]
    pointed = clients.POINTER.search(seen) or clients.ATTACHED.search(seen)
    return not note.strip() or (len(note.split()) <= MAX_POINTER_WORDS and pointed is not None)


def read_body(
    text: str | None, html: str | None, subject: str | None, *, answers: bool = False, cut_up_to: int
) -> Intake:
    """The writer's own words of a body, of a mail that answers another by its header or its subject, or of any other;
    a body of more than cut_up_to characters is kept whole."""
    source: Source = "plain" if text and text.strip() or not html else "html"
    body, quoted, whole = text or "", frozenset[int](), True
    if html and (source == "html" or plain.may_stand_in(body)):
        shown = read_html(html)
        if source == "html" or (shown.text.strip() and plain.is_stand_in(body, shown.text)):
            source, body, quoted, whole = "html", shown.text, shown.quoted, shown.whole
    if len(body) > cut_up_to:
        return Intake(body, source if body.strip() else None, truncated=not whole)
    body = plain.without_mbox_marks(body) if source == "plain" else body
    forward = clients.FORWARD_SUBJECT.match(subject or "") is not None
    answers = answers or clients.REPLY_SUBJECT.match(subject or "") is not None
    own = own_words(body, Hints(forward, answers, quoted))
    return Intake(own.text, source if own.text.strip() else None, own.parts, own.context, truncated=not whole)


def under_subject(subject: str | None, body: Intake) -> Intake:
    if not subject or not subject.strip():
        return body
    return replace(body, text=f"Subject: {subject.strip()}\n\n{body.text}".rstrip(), source=body.source or "subject")
