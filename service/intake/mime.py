"""A raw mail to what is known of it: who wrote when to whom, the body's text and HTML, the attachments' names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from service.intake.automatic import automatic_reason
from service.intake.body import Attachment, read_body
from service.intake.errors import Limits
from service.intake.headers import addresses, date, field, fields, message_ids
from service.intake.structure import Part, parse_parts

FIELD_CHARACTERS = 998  # RFC 5322's longest line; also the longest that service.schemas.emails takes
DEFAULT_LIMITS = Limits()
RECIPIENTS = 1_000


@dataclass(frozen=True)
class ParsedMail:
    """A mail as it was sent. `text` and `html` are the two forms of its body, where it has them; `notes` says what
    was guessed; in `text` a word joiner stands before a ">" that begins a line and is the writer's own, which
    format=flowed tells apart; `forwarded` are the mails attached to it as mails, which are attachments too."""

    subject: str | None = None
    sender: str | None = None
    recipients: tuple[str, ...] = ()
    message_id: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    received_at: datetime | None = None
    text: str | None = None
    html: str | None = None
    attachments: tuple[Attachment, ...] = ()
    automatic: str | None = None
    encrypted: bool = False
    notes: tuple[str, ...] = ()
    forwarded: tuple[ParsedMail, ...] = ()


def parse_mail(raw: bytes, limits: Limits = DEFAULT_LIMITS, own_addresses: Collection[str] = ()) -> ParsedMail:
    """The mail in `raw`, however damaged. Raises LimitError where it is over a limit, and nothing else."""
    root, notes = parse_parts(raw, limits)
    return _mail(root, limits, own_addresses, notes)


def _mail(root: Part, limits: Limits, own_addresses: Collection[str], notes: list[str]) -> ParsedMail:
    body = read_body(root, limits)
    notes = list(dict.fromkeys([*notes, *body.notes]))
    ids = [found for value in fields(root, "message-id") for found in message_ids(value)]
    replied = [found for value in fields(root, "in-reply-to") for found in message_ids(value)]
    recipients = [found for name in ("to", "cc") for value in fields(root, name) for found in addresses(value)]
    subject = field(root, "subject", body.charset)
    return ParsedMail(
        subject=subject[:FIELD_CHARACTERS] if subject is not None else None,
        sender=_sender(root, notes),
        recipients=tuple(found[:FIELD_CHARACTERS] for found in dict.fromkeys(recipients))[:RECIPIENTS],
        message_id=next((found for found in ids if len(found.encode()) <= FIELD_CHARACTERS), None),
        in_reply_to=next(iter(replied), None),
        references=tuple(found for value in fields(root, "references") for found in message_ids(value)),
        received_at=_received_at(root, notes),
        text=body.text,
        html=body.html,
        attachments=tuple(body.attachments),
        automatic=automatic_reason(root, own_addresses),
        encrypted=body.encrypted,
        notes=tuple(notes),
        forwarded=tuple(_mail(part, limits, own_addresses, []) for part in body.forwarded),
    )


def _sender(root: Part, notes: list[str]) -> str | None:
    """The bare address of From, or of Sender or Return-Path where From has none."""
    for name in ("from", "sender", "reply-to", "return-path"):
        for value in fields(root, name):
            if found := addresses(value):
                if name != "from":
                    notes.append(f"sender: from {name}")
                return found[0][:FIELD_CHARACTERS]
    return None


def _received_at(root: Part, notes: list[str]) -> datetime | None:
    """When the last relay took the mail; by its writer's clock where no relay says."""
    for value in fields(root, "received")[:1]:
        if ";" in value and (moment := date(value.rpartition(";")[2])) is not None:
            return moment
    for value in fields(root, "date"):
        if (moment := date(value)) is not None:
            notes.append("received_at: from date")
            return moment
    return None
