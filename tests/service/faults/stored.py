"""What a database holds after a fault."""

from __future__ import annotations

from collections.abc import Sequence

from tests.deploy.load import Told
from tests.service.secured import execute


def mails_in(url: str) -> dict[str, str]:
    """The id of each stored mail by its message id; fails where a mail lacks its prediction or stands there twice."""
    rows = execute(
        url,
        "select e.message_id, e.id, count(p.id) from emails e left join predictions p on p.email_id = e.id"
        " group by e.message_id, e.id",
    )
    assert all(row[2] == 1 for row in rows), "a mail is half-stored"
    found = {row[0]: row[1] for row in rows}
    assert len(found) == len(rows), "a mail is stored twice"
    return found


def lost(told: Sequence[Told], url: str) -> list[str]:
    """The message ids whose answers were 201 and which the database lacks, or has under another id."""
    found = mails_in(url)
    answers = [entry.answer for entry in told]
    return [answer["message_id"] for answer in answers if found.get(answer["message_id"]) != answer["id"]]
