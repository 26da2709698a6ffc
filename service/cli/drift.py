"""`refund-router drift`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from model.drift import DriftMeter
from service.cli.terminal import ModelOption, err, load_classifier, print_table, read_settings, refuse
from service.database import make_engine, make_sessions
from service.drift import Drift, days


def drift(
    number: Annotated[int, typer.Option("--days", min=1, max=90, help="Days up to today, in UTC.")] = 7,
    model: ModelOption = None,
    json_output: Annotated[bool, typer.Option("--json", help="JSON, as GET /v1/drift gives it.")] = False,
) -> None:
    """How far each day's stored mails are from the model's reference. Exit code 1 when the newest with mail shifted.

    Example: `refund-router drift --days 30`
    """
    settings = read_settings()
    meter = DriftMeter(load_classifier(model or settings.model_folder))
    if meter.reference is None:
        raise refuse(f"model {meter.model_version} has no reference.json: make it with refund-trainer reference")
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    try:
        with make_sessions(engine)() as session, err.status("reading mails"):
            found = days(session, meter, last=datetime.now(UTC).date(), number=number)
    except SQLAlchemyError as error:
        raise refuse(f"database: {str(getattr(error, 'orig', error)).strip().splitlines()[0]}") from None
    finally:
        engine.dispose()
    if json_output:
        from service.routers.drift import drift_page

        typer.echo(drift_page(meter, found).model_dump_json(indent=2))
    else:
        _print(found)
    newest = next((day for day in found if day.mails), None)
    if newest is not None and any(signal.shifted for signal in newest.signals):
        raise typer.Exit(1)


def _print(found: list[Drift]) -> None:
    table = Table("day", "mails", "accuracy, estimated", "signal", "distance", "threshold", "")
    for day in found:
        accuracy = "" if day.estimated_accuracy is None else f"{day.estimated_accuracy:.1%}"
        table.add_row(str(day.since.date()), str(day.mails), accuracy)
        for signal in day.signals:
            threshold = "too few mails" if signal.threshold is None else f"{signal.threshold:.3f}"
            mark = "SHIFTED" if signal.shifted else ""
            table.add_row("", "", "", signal.name, f"{signal.distance:.3f}", threshold, mark)
    print_table(table)
