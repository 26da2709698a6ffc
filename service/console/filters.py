"""Which mails the inbox shows, as its address says it; an address can be kept, sent and opened again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import Request

from service.search_words import parse_search

REASONS = (
    "low_confidence",
    "order_check_failed",
    "truncated",
    "unsupported_language",
    "no_text",
    "automatic_mail",
)
MAX_CHARACTERS = 200


@dataclass(frozen=True)
class Filters:
    """Empty fields restrict nothing."""

    q: str = ""
    label: str = ""
    decision: str = ""
    reason: str = ""

    @classmethod
    def of(cls, request: Request) -> Filters:
        """From an address; what is unknown in it is left out, what is too long is cut."""
        given = request.query_params
        return cls(**{name: given.get(name, "").replace("\0", "")[:MAX_CHARACTERS].strip() for name in asdict(cls())})

    def query(self) -> str:
        """The part of an address behind the question mark."""
        return urlencode({name: value for name, value in asdict(self).items() if value})

    def arguments(self) -> dict[str, Any]:
        """As queries.emails.list_emails takes them. Raises InvalidRequest for a search without a word."""
        return {
            "search": parse_search(self.q) if self.q else None,
            "label": self.label or None,
            "decision": self.decision or None,
            "reason": self.reason if self.reason in REASONS else None,
        }


@dataclass(frozen=True)
class View:
    """A named set of filters."""

    name: str
    filters: Filters


VIEWS = (
    View("Everything", Filters()),
    View("For review", Filters(decision="review")),
    View("Fees for review", Filters(label="refund_fee", decision="review")),
    View("Order check failed", Filters(reason="order_check_failed")),
)
