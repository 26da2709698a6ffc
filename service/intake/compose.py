"""The words that are read of a mail: its subject and its text, or its HTML where it has no text."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage

from service.intake.html import html_to_text


def compose(*, subject: str | None, text: str | None, html: str | None) -> str:
    """`Subject: …`, an empty line, the body; as the training mails have it."""
    body = text if text and text.strip() else html_to_text(html) if html else (text or "")
    if subject and subject.strip():
        return f"Subject: {subject.strip()}\n\n{body}".rstrip()
    return body


def compose_raw(raw: bytes) -> str:
    """The words of a message/rfc822."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    parts = {}
    for kind in ("plain", "html"):
        part = message.get_body((kind,))
        parts[kind] = part.get_content() if part is not None else None
    return compose(subject=message["subject"], text=parts["plain"], html=parts["html"])
