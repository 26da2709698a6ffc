"""`refund-router erase`: texts and addresses out of the database; counts stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.progress import Progress
from sqlalchemy.exc import SQLAlchemyError

from service import erasure
from service.cli.terminal import err, open_database, out, read_settings, refuse, refuse_database


def erase(
    address: Annotated[str | None, typer.Option(help="All mails from or to this address, in any case.")] = None,
    email_id: Annotated[str | None, typer.Option("--id", help="One mail.")] = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="All that are older than REFUND_ROUTER_TEXT_RETENTION_DAYS.")
    ] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Only say which mails, and how many cases.")] = False,
) -> None:
    """Erase texts, addresses, spans and all else that tells of a customer; labels, confidences and decisions stay.

    Examples: `refund-router erase --address mina@example.org --preview` ·
    `refund-router erase --address mina@example.org` · `refund-router erase --expired`
    """
    if sum((address is not None, email_id is not None, expired)) != 1:
        raise refuse("give one of --address, --id and --expired")
    if address is not None and "@" not in address:
        raise refuse(f"--address {address}: is no mail address")
    settings = read_settings()
    with open_database(settings.database_url) as sessions, Progress(console=err, transient=True) as progress:
        task = progress.add_task("looking", total=None)
        try:
            if address is not None:
                ids = erasure.ids_of_address(sessions, address, lambda n: progress.update(task, advance=n))
            elif email_id is not None:
                ids = [email_id]
            else:
                before = datetime.now(UTC) - timedelta(days=settings.text_retention_days)
                ids = [found for window, _ in erasure.ids_before(sessions, before) for found in window]
            case_ids = erasure.cases_of(sessions, ids, address=address) if not expired else []
            if preview:
                for found in ids:
                    out.print(found, markup=False)
                err.print(f"{len(ids)} mails would be erased{_and_cases(len(case_ids))}")
                return
            task = progress.add_task("erasing", total=len(ids))
            why: erasure.Why = "address" if address is not None else "id" if email_id is not None else "retention"
            erased = erasure.erase(
                sessions,
                ids,
                case_ids=case_ids,
                actor="command-line",
                why=why,
                advance=lambda n: progress.update(task, advance=n),
            )
            task = progress.add_task("search index", total=None)
            while not erasure.forget(sessions, steps=1):
                progress.update(task, advance=1)
        except SQLAlchemyError as error:
            raise refuse_database(error) from None
    if email_id is not None and not any(erased):
        raise refuse(f"--id {email_id}: no mail with a text has this id")
    err.print(f"{erased.mails} mails erased{_and_cases(erased.cases)}")


def _and_cases(count: int) -> str:
    return f", and {count} cases made of them" if count else ""
