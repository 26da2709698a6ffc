"""Every metric of the service, in one place.

refund_router_http_requests_total            requests by method, route template and status
refund_router_http_request_duration_seconds  their duration by route template
refund_router_predictions_total              stored predictions by label and decision
refund_router_order_checks_total             order checks of single mails by result
refund_router_stage_duration_seconds         a batch's time in inference and store
refund_router_batch_size_mails               mails in a batch
refund_router_queue_length_mails             mails that wait to be read
refund_router_model_info                     1, with the version that is served
"""

from __future__ import annotations

from time import perf_counter

from prometheus_client import Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from model.config import LABELS

NAMESPACE = "refund_router"

HTTP_REQUESTS = Counter("http_requests", "Requests", ["method", "route", "status"], namespace=NAMESPACE)
HTTP_SECONDS = Histogram(
    "http_request_duration_seconds",
    "Time from a request's arrival to the end of its answer",
    ["route"],
    namespace=NAMESPACE,
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
PREDICTIONS = Counter("predictions", "Stored predictions", ["label", "decision"], namespace=NAMESPACE)
ORDER_CHECKS = Counter("order_checks", "Order checks of single mails", ["result"], namespace=NAMESPACE)
STAGE_SECONDS = Histogram(
    "stage_duration_seconds",
    "A batch's time in one stage",
    ["stage"],
    namespace=NAMESPACE,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)
BATCH_SIZE = Histogram(
    "batch_size_mails", "Mails in one batch", namespace=NAMESPACE, buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256)
)
QUEUE_LENGTH = Gauge("queue_length_mails", "Mails that wait to be read", namespace=NAMESPACE)
MODEL_INFO = Gauge("model_info", "The model that is served", ["version"], namespace=NAMESPACE)

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
UNMATCHED = "unmatched"

for _label in LABELS:
    for _decision in ("auto", "review"):
        PREDICTIONS.labels(_label, _decision)
for _result in ("passed", "failed"):
    ORDER_CHECKS.labels(_result)
for _stage in ("inference", "store"):
    STAGE_SECONDS.labels(_stage)


class MetricsMiddleware:
    """Counts every request, by route template so that no path or id becomes a label."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, started = "500", perf_counter()

        async def watched_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, watched_send)
        finally:
            route = getattr(scope.get("route"), "path", UNMATCHED)
            method = scope["method"] if scope["method"] in METHODS else "OTHER"
            HTTP_REQUESTS.labels(method, route, status).inc()
            HTTP_SECONDS.labels(route).observe(perf_counter() - started)
