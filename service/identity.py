"""Which mail is the same as an earlier one: by its mailbox, its Message-ID and its content.

Senders reuse ids for different mail and relays drop them, so neither is trusted alone. The content is the writer's
bare address, the mailboxes it went to and the words that were read, with their spaces made alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from service.intake.headers import addresses

ADDRESS_CHARACTERS = 320  # RFC 3696: 64 before the @, 255 after it


def bare_address(sender: str | None) -> str | None:
    """The address of a From in small letters; what stands there where it is no address; None where nothing does."""
    if sender is None:
        return None
    found = addresses(sender)
    return (found[0] if found else " ".join(sender.split())).lower()[:ADDRESS_CHARACTERS] or None


def content_hash(sender: str | None, recipients: Sequence[str], text: str) -> str:
    """The same for the same words of the same writer to the same mailboxes, in whatever order these are named."""
    mailboxes = sorted({bare_address(recipient) or "" for recipient in recipients})
    return _hash(bare_address(sender) or "", *mailboxes, " ".join(text.split()))


def identity_by_id(message_id: str, content: str) -> str:
    """Of a mail with a Message-ID: that id with that content, whenever it comes."""
    return _hash("id", message_id, content)


def identity_by_content(content: str, earlier_id: str | None) -> str:
    """Of a mail without one: the next of this content after the mail earlier_id. Two processes that store it at once
    come to the same identity, so that one of them finds the other's row."""
    return _hash("content", content, earlier_id or "")


def _hash(*parts: str) -> str:
    digest = sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8) + raw)
    return digest.hexdigest()
