"""Whose words a case of the shop's own suite holds: known also when its mail has lost its addresses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"(?!@)')  # a name, which may look like an address
ADDRESS = re.compile(r'[^\s<>,;:()]+@[^\s<>,;:()"]+')


def addresses_in(sender: str | None, recipients: Sequence[str]) -> set[str]:
    """The addresses in these fields, in small letters."""
    fields = [*recipients, *([sender] if sender is not None else [])]
    return {found.casefold() for field in fields for found in ADDRESS.findall(QUOTED.sub("", field))}


def digests(addresses: Collection[str], *, email_id: str) -> list[str]:
    """Of each address one that tells it again to whoever has it, and that differs from mail to mail."""
    texts = (f"{email_id} {address.strip().casefold()}" for address in addresses)
    return sorted(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts)
