"""Which conversation a mail belongs to, by the ids that its threading headers mention (RFC 5322, section 3.6.4)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID, uuid5

from service.schemas.emails import MAX_ID_BYTES, EmailIn

NAMESPACE = UUID("5a1f3e0c-6d0b-5b8e-9f57-0b6a0f0b7c11")  # of conversation ids that are made from a message id
MENTIONS = 50  # ids of one mail that are followed: the thread's first, and the last ones


def conversation_of(message_id: str) -> str:
    """The id of the conversation that this message began: every process comes to the same."""
    return str(uuid5(NAMESPACE, message_id))


def root(mail: EmailIn) -> str | None:
    """The message that began the thread, as far as the mail tells."""
    return next(iter(sizable(mail.references)), None) or mail.in_reply_to


def mentions(mail: EmailIn) -> list[str]:
    """The ids that a mail answers, nearest first; its own is left out."""
    references = sizable(mail.references)
    kept = references[:1] + references[1:][-(MENTIONS - 2) :]
    nearest = dict.fromkeys([*sizable([mail.in_reply_to] if mail.in_reply_to else []), *reversed(kept)])
    return [found for found in nearest if found != mail.message_id]


def sizable(ids: Iterable[str]) -> list[str]:
    """Those that an index can hold."""
    return [found for found in ids if 0 < len(found.encode()) <= MAX_ID_BYTES]
