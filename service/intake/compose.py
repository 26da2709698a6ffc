"""What is read of a mail: its subject and its writer's own words, from its text, or its HTML where it has no text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from service.intake.body import Attachment
from service.intake.cut import CutPart, own_words
from service.intake.html import html_to_text

Source = Literal["plain", "html", "subject"]

MAX_CUT_CHARACTERS = 200_000  # a longer body is kept whole: the model reads no further, and cutting has to end in time


@dataclass(frozen=True)
class Intake:
    """A mail made ready to be read. source: where its words come from, None where there are none; cut: what was taken
    from the body; context: another's words that the writer answers; attachments: None where the mail came as JSON."""

    text: str
    source: Source | None = None
    cut: tuple[CutPart, ...] = ()
    context: str | None = None
    attachments: tuple[Attachment, ...] | None = None
    automatic: bool = False


def compose(*, subject: str | None, text: str | None, html: str | None, cut: bool = True) -> Intake:
    """`Subject: …`, an empty line, the body; as the training mails have it. cut=False keeps the body whole."""
    return under_subject(subject, read_body(text, html, cut=cut))


def read_body(text: str | None, html: str | None, *, cut: bool) -> Intake:
    """The writer's own words of a body."""
    source: Source = "plain" if text and text.strip() or not html else "html"
    body = (text if source == "plain" else html_to_text(html or "")) or ""
    if not cut or len(body) > MAX_CUT_CHARACTERS:
        return Intake(body, source if body.strip() else None)
    own = own_words(body)
    return Intake(own.text, source if own.text.strip() else None, own.parts, own.context)


def under_subject(subject: str | None, body: Intake) -> Intake:
    if not subject or not subject.strip():
        return body
    return replace(body, text=f"Subject: {subject.strip()}\n\n{body.text}".rstrip(), source=body.source or "subject")
