"""Which mails the inbox shows, as its address says it; an address can be kept, sent and opened again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args
from urllib.parse import parse_qsl, urlencode

from fastapi import Request

from model.reasons import REASONS
from service.schemas.feedback import State
from service.search_words import parse_search

STATES: tuple[str, ...] = get_args(State)
MAX_CHARACTERS = 200


@dataclass(frozen=True)
class Filters:
    """Empty fields restrict nothing. by: the agent who gave a verdict."""

    q: str = ""
    label: str = ""
    decision: str = ""
    state: str = ""
    reason: str = ""
    by: str = ""

    @classmethod
    def of(cls, request: Request) -> Filters:
        """From an address; what is unknown in it is left out, what is too long is cut."""
        return cls._from(dict(request.query_params))

    @classmethod
    def parse(cls, query: str) -> Filters:
        """From the part of an address behind the question mark."""
        return cls._from(dict(parse_qsl(query)))

    @classmethod
    def _from(cls, given: Mapping[str, str]) -> Filters:
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
            "state": self.state if self.state in STATES else None,
            "reason": self.reason if self.reason in REASONS else None,
            "handled_by": self.by or None,
        }


@dataclass(frozen=True)
class View:
    """A named set of filters; id is None where it is built in."""

    name: str
    filters: Filters
    id: str | None = None


def built_in_views(actor: str) -> tuple[View, ...]:
    return (
        View("Everything", Filters()),
        View("To review", Filters(decision="review", state="open")),
        View("Fees to review", Filters(label="refund_fee", decision="review", state="open")),
        View("Order check failed", Filters(reason="order_check_failed")),
        View("Mine", Filters(by=actor)),
    )
