"""Why a mail, or a file of mails, was refused.

IntakeError            the only exception that leaves service.intake
├── LimitError         a mail over one of the Limits; `limit` is the field's name
└── SourceError        a file that cannot be read as mails; says file, row and field
"""

from __future__ import annotations

from dataclasses import dataclass


class IntakeError(ValueError):
    """A mail or file that was not read."""

    limit: str | None = None


class LimitError(IntakeError):
    """A mail over a limit; names the limit, what it allows and what was found."""

    def __init__(self, limit: str, allowed: int = 0, found: int | None = None, *, detail: str = "") -> None:
        had = f"has {found}" if found is not None else "has more"
        super().__init__(f"{limit}: {detail or f'the mail {had}, at most {allowed} are read'}")
        self.limit = limit


class SourceError(IntakeError):
    """A file that cannot be read as mails."""


@dataclass(frozen=True)
class Limits:
    """The most that is read of one mail."""

    mail_bytes: int = 25_000_000
    parts: int = 200
    nesting: int = 20
    html_bytes: int = 5_000_000  # decoded, of all HTML parts together
    seconds: float = 2.0  # of processor time, from bytes to the customer's own words
    lines: int = 1_000_000  # 25 MB of wrapped base64 are 340,000; the parser takes about a second a million
