"""How the service does, from its own database, for those who have no Grafana."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from model.config import LABELS
from service.console.plots import Plot, plot
from service.console.site import page, words
from service.dependencies import CollectorDep, SessionDep
from service.metrics import HTTP_SECONDS
from service.queries import figures
from service.queries import reviews as review_queries
from service.queries.ids import first_id

router = APIRouter(include_in_schema=False)
HOURS = 24
HOUR_SECONDS = 3_600
CONFIDENCE_STEPS = 20
AGES = (("under 1 h", 1), ("1 to 4 h", 4), ("4 to 24 h", 24), ("1 to 3 days", 72), ("older", None))
LATENCY_ROUTE = "/v1/emails"


@router.get("/health", response_class=HTMLResponse)
def health(request: Request, session: SessionDep, collector: CollectorDep) -> HTMLResponse:
    """The last day's rate, labels, confidence, decisions and drift; the queue's age; this process's latency."""
    now = datetime.now(UTC)
    since = first_id(now - timedelta(hours=HOURS))
    by_label = figures.predictions_by_label(session, least_id=since)
    total = sum(by_label.values())
    for_review = sum(count for (_, decision), count in by_label.items() if decision == "review")
    labels = [(words(label), by_label.get((label, "auto"), 0) + by_label.get((label, "review"), 0)) for label in LABELS]
    context = {
        "total": total,
        "for_review": for_review,
        "waiting": review_queries.count_reviews(session),
        "oldest": figures.oldest_review(session),
        "drift": collector.drift(),
        "plots": [
            _rate(session, now, since),
            plot("Labels of the last day", labels, unit="mails"),
            _confidence(session, since, total),
            plot("Decisions of the last day", [("auto", total - for_review), ("review", for_review)], unit="mails"),
            _ages(session, now),
            latency(),
        ],
    }
    return page(request, "health.html", context)


def _rate(session: Session, now: datetime, since: str) -> Plot:
    counts = figures.mails_by_period(session, least_id=since, period_seconds=HOUR_SECONDS)
    this_hour = int(now.timestamp()) // HOUR_SECONDS
    hours = range(this_hour - HOURS + 1, this_hour + 1)
    named = [(f"{datetime.fromtimestamp(hour * HOUR_SECONDS, UTC):%H:00}", counts.get(hour, 0)) for hour in hours]
    return plot("Mails an hour, UTC", named, unit="mails")


def _confidence(session: Session, since: str, total: int) -> Plot:
    edges = [step / CONFIDENCE_STEPS for step in range(1, CONFIDENCE_STEPS)]
    under = [0, *figures.predictions_under(session, least_id=since, confidences=edges), total]
    columns = [(f"{step / CONFIDENCE_STEPS:.2f}", under[step + 1] - under[step]) for step in range(CONFIDENCE_STEPS)]
    return plot("Confidence of the last day, from", columns, unit="mails")


def _ages(session: Session, now: datetime) -> Plot:
    edges = [now - timedelta(hours=hours or 24 * 365 * 100) for _, hours in AGES]
    after = [0, *figures.reviews_by_age(session, edges=edges)]
    columns = [(name, after[n + 1] - after[n]) for n, (name, _) in enumerate(AGES)]
    return plot("How long mails have waited for review", columns, unit="mails")


def latency() -> Plot:
    """Of this process since it started, from the histogram that Prometheus reads too."""
    under: dict[float, float] = {}
    for metric in HTTP_SECONDS.collect():
        for sample in metric.samples:
            if sample.name.endswith("_bucket") and sample.labels["route"] == LATENCY_ROUTE:
                edge = float(sample.labels["le"])
                under[edge] = under.get(edge, 0.0) + sample.value
    columns, before = [], 0.0
    for edge in sorted(under):
        name = "slower" if edge == float("inf") else f"{edge * 1000:g} ms"
        columns.append((name, under[edge] - before))
        before = under[edge]
    return plot("Answers to a mail, up to", columns, unit="answers")
