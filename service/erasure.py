"""Erasing mails: one, all of an address, all that are older than the retention.

The work is done in short transactions, so that mail is taken in meanwhile. Afterwards SQLite's write-ahead log is put
into the file and cut: with secure_delete on, the words are in neither. PostgreSQL keeps them in dead tuples until
VACUUM and the page's next use (VACUUM FULL at once), in its write-ahead log until that is recycled; both have backups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy.orm import Session, sessionmaker

from service.queries import database as database_queries
from service.queries import erasure as queries
from service.queries.audit import record
from service.queries.ids import id_prefix

Why = Literal["id", "address", "retention"]
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"(?!@)')  # a name, which may look like an address
ADDRESS = re.compile(r'[^\s<>,;:()]+@[^\s<>,;:()"]+')
WINDOW = 5_000  # mails that one statement looks at
CHUNK = 200  # mails that one transaction erases
LAST_ID = "g"  # after every id: they are hexadecimal


def bears(address: str, sender: str | None, recipients: Sequence[str]) -> bool:
    """Whether a mail is from or to this very address, in any case of letters."""
    fields = [*recipients, *([sender] if sender is not None else [])]
    wanted = address.strip().casefold()
    return any(found.casefold() == wanted for field in fields for found in ADDRESS.findall(QUOTED.sub("", field)))


def ids_of_address(
    sessions: sessionmaker[Session], address: str, advance: Callable[[int], None] = lambda _: None
) -> list[str]:
    """The mails from or to an address, the oldest first. Reads every mail's addresses, a window at a time."""
    ids: list[str] = []
    after_id = ""
    while True:
        with sessions() as session:
            last_id = queries.window_end(session, after_id=after_id, before_id=LAST_ID, size=WINDOW)
            if last_id is None:
                return ids
            rows = queries.addressed(session, address=address, after_id=after_id, last_id=last_id)
            ids += sorted(email_id for email_id, sender, recipients in rows if bears(address, sender, recipients))
        advance(WINDOW)
        after_id = last_id


def ids_before(
    sessions: sessionmaker[Session], moment: datetime, after_id: str = ""
) -> Iterator[tuple[Sequence[str], str]]:
    """Mails that were stored before a moment and still hold a text, with the id up to which was looked."""
    while True:
        with sessions() as session:
            last_id = queries.window_end(session, after_id=after_id, before_id=id_prefix(moment), size=WINDOW)
            if last_id is None:
                return
            ids = queries.unerased_ids(session, after_id=after_id, last_id=last_id)
        yield ids, last_id
        after_id = last_id


def erase(
    sessions: sessionmaker[Session],
    email_ids: Sequence[str],
    *,
    actor: str,
    why: Why,
    advance: Callable[[int], None] = lambda _: None,
) -> int:
    """How many of these mails were erased now; those that were before do not count. The audit gets a row a transaction,
    with the mails' ids where somebody asked for it, and never the address."""
    erased = 0
    for start in range(0, len(email_ids), CHUNK):
        with sessions.begin() as session:
            emails = queries.emails_for_update(session, email_ids=email_ids[start : start + CHUNK])
            for email in emails:
                queries.erase_email(session, email=email)
            if emails:
                ids = [email.id for email in emails]
                details = {"count": len(ids), **({"email_ids": ids} if why != "retention" else {})}
                record(session, actor=actor, action="emails_erased", subject=why, details=details)
            erased += len(emails)
        advance(min(CHUNK, len(email_ids) - start))
    if erased:
        with sessions() as session:
            database_queries.forget_log(session)
    return erased
