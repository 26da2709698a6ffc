"""A mail's text with its spans marked. Mail is hostile: it only ever leaves here as escaped text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from service.tables import Email

SNIPPET_CHARACTERS = 240
LEAD_CHARACTERS = 60  # shown before the first span where the excerpt has to begin late
ROLE_WORDS = {"refund": "to refund", "keep": "not to refund", "replace": "to replace"}


def marked(text: str, spans: Sequence[dict[str, Any]], start: int = 0, stop: int | None = None) -> Markup:
    """text[start:stop], escaped, with its spans in <mark> elements of their role's class.

    The role is told to screen readers by the title, and to eyes by colour and by the kind of underline.
    """
    stop = len(text) if stop is None else stop
    pieces, read = [], start
    for span in sorted(spans, key=lambda span: int(span["start"])):
        begin, end = max(int(span["start"]), read), min(int(span["end"]), stop)
        if begin >= end:
            continue
        pieces.append(_text(text[read:begin]))
        mark = Markup('<mark class="{0}" title="{1}">{2}</mark>')
        pieces.append(mark.format(span["role"], ROLE_WORDS[span["role"]], _text(text[begin:end])))
        read = end
    return Markup("").join([*pieces, _text(text[read:stop])])


def _text(words: str) -> Markup:
    """Escaped; a carriage return as a reference, for a parser would drop it and shift every offset after it."""
    return Markup(str(escape(words)).replace("\r", "&#13;"))


def body_start(email: Email) -> int:
    """Where the body's first word begins in the text that was read: behind the line of the subject, if there is one."""
    head = f"Subject: {(email.subject or '').strip()}"
    start = len(head) if email.subject and email.text.startswith(head) else 0
    while start < len(email.text) and email.text[start].isspace():
        start += 1
    return start


def snippet(email: Email, spans: Sequence[dict[str, Any]]) -> Markup:
    """The first words of the body, or those about the first span where it stands further down."""
    text, start = email.text, body_start(email)
    spans = [span for span in spans if int(span["end"]) > start]
    first = min((int(span["start"]) for span in spans), default=start)
    begin = start
    if first - start > SNIPPET_CHARACTERS - LEAD_CHARACTERS:
        begin = first - LEAD_CHARACTERS
        begin = max(begin, text.find(" ", begin, first) + 1)
    stop = min(len(text), begin + SNIPPET_CHARACTERS)
    shown = marked(text, spans, begin, stop)
    return Markup("{0}{1}{2}").format("… " if begin > start else "", shown, " …" if stop < len(text) else "")
