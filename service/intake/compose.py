"""What is read of a mail: its subject and its writer's own words, from its text, or its HTML where it has no text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from service.intake import clients, plain
from service.intake.body import Attachment
from service.intake.cut import MAX_POINTER_WORDS, CutPart, Hints, own_words
from service.intake.html import HtmlText, read_html
from service.intake.mime import ParsedMail

Source = Literal["plain", "html", "subject"]

MAX_CUT_CHARACTERS = 200_000  # a longer body is kept whole: the model reads no further, and cutting has to end in time
MAX_COMPARED_CHARACTERS, MAX_COMPARED_MARKUP = 2_000, 100_000  # a text that its HTML may go on from
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
    forward = clients.FORWARD_SUBJECT.match(subject or "") is not None
    answers = answers or clients.REPLY_SUBJECT.match(subject or "") is not None
    hints = Hints(forward, answers)
    if not text or not text.strip():
        return _of_html(read_html(html), hints, cut_up_to) if html else Intake("")
    if not html or len(text) > cut_up_to:
        return _of_text(text, hints, cut_up_to)
    stands_in, read = plain.may_stand_in(text), _of_text(text, hints, cut_up_to)
    if not stands_in and read.text and (len(text) > MAX_COMPARED_CHARACTERS or len(html) > MAX_COMPARED_MARKUP):
        return read
    shown = read_html(html)
    if stands_in and shown.text.strip() and plain.is_stand_in(text, shown.text):
        return _of_html(shown, hints, cut_up_to)
    of_html = _of_html(shown, hints, cut_up_to)
    fuller = plain.begins(read.text, of_html.text) if read.text else plain.lacks(text, shown.text)
    return of_html if of_html.text and fuller else read


def _of_text(text: str, hints: Hints, cut_up_to: int) -> Intake:
    if len(text) > cut_up_to:
        return Intake(plain.unmarked(text), "plain")
    own = own_words(plain.without_mbox_marks(text), hints)
    words = plain.unmarked(own.text)
    return Intake(words, "plain" if words.strip() else None, own.parts, own.context)


def _of_html(shown: HtmlText, hints: Hints, cut_up_to: int) -> Intake:
    if len(shown.text) > cut_up_to:
        return Intake(shown.text, "html" if shown.text.strip() else None, truncated=not shown.whole)
    own = own_words(shown.text, replace(hints, quoted=shown.quoted))
    return Intake(own.text, "html" if own.text.strip() else None, own.parts, own.context, truncated=not shown.whole)


def under_subject(subject: str | None, body: Intake) -> Intake:
    if not subject or not subject.strip():
        return body
    return replace(body, text=f"Subject: {subject.strip()}\n\n{body.text}".rstrip(), source=body.source or "subject")
