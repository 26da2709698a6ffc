"""Mails out of the database as lines, a page in memory at a time."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from service.answers import email_answer
from service.feedback import in_doubt, standing
from service.markup import marked
from service.queries import exports as queries
from service.tables import Email

PAGE = 500
COLUMNS = (
    "id",
    "message_id",
    "from",
    "subject",
    "text",
    "label",
    "confidence",
    "decision",
    "reasons",
    "state",
    "standing_label",
    "model_version",
    "created_at",
)


def mails(
    sessions: sessionmaker[Session],
    *,
    corrections: bool = False,
    since: datetime | None = None,
    label: str | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> Iterator[Email]:
    """The oldest first. label: that which stands. advance is told how many were looked at."""
    where, after_id = queries.exported(corrections=corrections, since=since), ""
    while True:
        with sessions() as session:
            page = queries.exported_page(session, where=where, after_id=after_id, limit=PAGE)
        if not page:
            return
        yield from (email for email in page if label is None or standing(email)[0] == label)
        advance(len(page))
        after_id = page[-1].id


def training_line(email: Email) -> str:
    """A mail as it stands, for `refund-trainer train --corpus` and `evaluate --mails`; without marks in doubt."""
    label, spans = standing(email)
    spans = [] if in_doubt(email) else spans
    return json.dumps({"label": label, "text": marked(email.text, spans)}, ensure_ascii=False)


def json_line(email: Email) -> str:
    """A mail as `GET /v1/emails/{id}` gives it."""
    return email_answer(email).model_dump_json(by_alias=True)


def csv_line(email: Email) -> str:
    """The columns of COLUMNS; reasons are parted by spaces."""
    values = email_answer(email).model_dump(mode="json", by_alias=True)
    values["reasons"] = " ".join(values["reasons"])
    return csv_row(values[name] for name in COLUMNS)


def csv_row(values: Iterator[object] | tuple[str, ...]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(values)
    return stream.getvalue()
