"""Whether a machine wrote a mail: nothing may answer it, or two machines talk for ever (RFC 3834)."""

from __future__ import annotations

from collections.abc import Collection
from email.message import Message

from service.intake.headers import addresses, field, fields, parameters

PRECEDENCES = ("bulk", "junk", "list", "auto_reply")
AUTOREPLY_FIELDS = ("x-autoreply", "x-autorespond", "x-autoresponder")
LIST_FIELDS = ("list-id", "list-unsubscribe", "list-post", "list-help", "list-subscribe", "list-owner", "list-archive")
REPORTS = ("multipart/report", "message/delivery-status", "message/disposition-notification")


def automatic_reason(message: Message, own_addresses: Collection[str] = ()) -> str | None:
    """Why a mail counts as automatic, in a few words; None for a person's. A rule that sends mail on says
    `auto-forwarded` (RFC 5436) of what a person wrote. `own_addresses` are the shop's: a mail from one would be
    answered to itself, and a list of that address (a Google group, say) hands on people's mails."""
    own = {address.lower() for address in own_addresses}
    content_type, options = parameters(" ".join(fields(message, "content-type")[:1]))
    if content_type in REPORTS:
        return f"report: {options.get('report-type', content_type)}"[:80]
    submitted = _word(message, "auto-submitted")
    if submitted not in ("", "no", "auto-forwarded"):
        return f"auto-submitted: {submitted}"
    if any(path.replace(" ", "") == "<>" for path in fields(message, "return-path")):
        return "null return path"
    for name in AUTOREPLY_FIELDS:
        if _word(message, name) not in ("", "no"):
            return name
    senders = [address.lower() for value in fields(message, "from") for address in addresses(value)]
    if own.intersection(senders):
        return "own address"
    if any(sender.startswith("mailer-daemon@") for sender in senders):
        return "mailer-daemon"
    precedence = _word(message, "precedence")
    through_own_list = _is_own_list(message, own)
    if precedence in PRECEDENCES and not (precedence == "list" and through_own_list):
        return f"precedence: {precedence}"
    if not through_own_list:
        for name in LIST_FIELDS:
            if field(message, name) is not None:
                return name
    return _calendar_reply(message)


def is_own(sender: str, own_addresses: Collection[str]) -> bool:
    """Whether a From names one of the shop's own addresses."""
    own = {address.lower() for address in own_addresses}
    return not own.isdisjoint(address.lower() for address in addresses(sender))


def _word(message: Message, name: str) -> str:
    return parameters(field(message, name) or "")[0].partition("(")[0].strip()[:40]


def _is_own_list(message: Message, own: set[str]) -> bool:
    identity = " ".join([*fields(message, "list-id"), *fields(message, "list-post")]).lower()
    return any(address in identity or f"<{address.replace('@', '.')}>" in identity for address in own)


def _calendar_reply(message: Message) -> str | None:
    for part in message.walk():
        content_type, options = parameters(" ".join(fields(part, "content-type")[:1]))
        if content_type == "text/calendar" and options.get("method", "").lower() == "reply":
            return "calendar reply"
    return None
