"""Erasing mails: one, all of an address, all that are older than the retention. Where somebody asks for it the shop's
own cases that were made of them go too; the retention leaves these, for they hold no name, number or address.

The work is done in short transactions, so that mail is taken in meanwhile. SQLite's full-text index finds erased words
no more, and loses them step by step, in a large store after the answer (service.queries.forgetting). Its write-ahead
log is put into the file and cut: with secure_delete on, the words are in neither. PostgreSQL keeps them in dead tuples
until VACUUM and the page's next use (VACUUM FULL at once), in its write-ahead log until that is recycled; both have
backups.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from service.case_owners import addresses_in, digests
from service.queries import case_erasure as case_queries
from service.queries import database as database_queries
from service.queries import erasure as queries
from service.queries import forgetting
from service.queries.audit import record
from service.queries.ids import id_prefix

log = logging.getLogger(__name__)

Why = Literal["id", "address", "retention"]
WINDOW = 5_000  # mails that one statement looks at
CHUNK = 200  # mails that one transaction erases
LAST_ID = "g"  # after every id: they are hexadecimal


class Erased(NamedTuple):
    """How many were erased now; those that were before do not count."""

    mails: int
    cases: int


def bears(address: str, sender: str | None, recipients: Sequence[str]) -> bool:
    """Whether a mail is from or to this very address, in any case of letters."""
    return address.strip().casefold() in addresses_in(sender, recipients)


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


def cases_of(sessions: sessionmaker[Session], email_ids: Sequence[str], *, address: str | None = None) -> list[str]:
    """The shop's own cases that were made of these mails, or of one from or to this address, also where the mail has
    lost its own by now."""
    found: set[str] = set()
    with sessions() as session:
        for start in range(0, len(email_ids), CHUNK):
            found.update(case_queries.cases_of_mails(session, email_ids=email_ids[start : start + CHUNK]))
        if address is not None:
            for case_id, email_id, owners in case_queries.owned_cases(session):
                if digests([address], email_id=email_id)[0] in owners:
                    found.add(case_id)
    return sorted(found)


def erase(
    sessions: sessionmaker[Session],
    email_ids: Sequence[str],
    *,
    case_ids: Sequence[str] = (),
    actor: str,
    why: Why,
    advance: Callable[[int], None] = lambda _: None,
) -> Erased:
    """These mails, the cases that were made of them where somebody asked for it, and these cases. The audit gets a row
    a transaction, with ids where somebody asked for it, and never the address."""
    mails = cases = 0
    for start in range(0, len(email_ids), CHUNK):
        with sessions.begin() as session:
            chunk = email_ids[start : start + CHUNK]
            emails = queries.emails_for_update(session, email_ids=chunk)
            for email in emails:
                queries.erase_email(session, email=email)
            if emails:
                forgetting.want_forgetting(session)
                ids = [email.id for email in emails]
                details = {"count": len(ids), **({"email_ids": ids} if why != "retention" else {})}
                record(session, actor=actor, action="emails_erased", subject=why, details=details)
            mails += len(emails)
            if why != "retention":
                made_of_them = case_queries.cases_of_mails(session, email_ids=chunk)
                cases += _erase_cases(session, made_of_them, actor=actor, why=why)
        advance(len(chunk))
    for start in range(0, len(case_ids), CHUNK):
        with sessions.begin() as session:
            cases += _erase_cases(session, case_ids[start : start + CHUNK], actor=actor, why=why)
    if mails or cases:
        try:
            forget(sessions, steps=1)
        except SQLAlchemyError as error:  # what is erased is erased; housekeeping goes on with its words
            log.warning("erasure: the full-text index did not forget yet: %s", type(error).__name__)
    return Erased(mails, cases)


def forget(sessions: sessionmaker[Session], *, steps: int) -> bool:
    """At most so many steps of the full-text index's forgetting; what a small store holds is gone after one. Whether
    all is."""
    done = False
    while steps > 0 and not done:
        with sessions() as session:
            done = forgetting.forget_step(session)
            session.commit()
        steps -= 1
    with sessions() as session:
        database_queries.forget_log(session)
    return done


def _erase_cases(session: Session, case_ids: Sequence[str], *, actor: str, why: Why) -> int:
    if ids := case_queries.erase_cases(session, case_ids=case_ids) if case_ids else []:
        record(session, actor=actor, action="cases_erased", subject=why, details={"count": len(ids), "case_ids": ids})
    return len(ids)
