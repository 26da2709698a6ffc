"""Every metric of the service, in one place. Labels are bounded: never an address, an id or a text.

refund_router_build_info                          1, with the versions of the service and of Python
refund_router_http_requests_total                 requests by method, route template and status
refund_router_http_request_duration_seconds       their duration by route template
refund_router_inbound_mails_total                 mails by the way they came and what became of them
refund_router_refusals_total                      requests that were refused, by reason
refund_router_predictions_total                   stored predictions by label, decision and model
refund_router_prediction_confidence_ratio         calibrated confidence of stored predictions by label
refund_router_review_reasons_total                why stored predictions went to review
refund_router_order_checks_total                  order checks of single mails by result
refund_router_stage_duration_seconds              time in queue (a mail), tokenize, inference and store (a batch)
refund_router_queue_length_mails                  mails that wait to be read
refund_router_batch_size_mails                    mails in a batch
refund_router_batches_total                       batches by why they were sent
refund_router_feedback_total                      agents' verdicts by predicted and corrected label
refund_router_model_info                          1 for the version that is served, 0 for one that was
refund_router_suite_runs_total                    runs of order suites by trigger and result
refund_router_suite_passed                        1 where a suite's last run on a model passed, else 0
refund_router_suite_pass_ratio                    passed cases of a suite's last run by suite and model
refund_router_suite_pair_accuracy_ratio           pairs with both sides right in that run
refund_router_suite_last_success_timestamp_seconds  when the suite last passed on the model
refund_router_database_pool_connections           the pool's connections, in use and at most
"""

from __future__ import annotations

import platform
from datetime import datetime
from importlib.metadata import version

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics

from model.config import LABELS
from model.reasons import REASONS

NAMESPACE = "refund_router"

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series a counter that no query of ours reads

DECISIONS = ("auto", "review")
INBOUND_SOURCES = ("json", "raw", "batch", "classify")
INBOUND_RESULTS = ("stored", "duplicate", "refused", "failed")
REFUSALS = (
    "queue_full",
    "body_too_large",
    "unsupported_media",
    "over_limit",
    "invalid",
    "unauthorized",
    "forbidden",
    "rate_limited",
    "unavailable",
)
STAGES = ("queue", "tokenize", "inference", "store")
SENT_BECAUSE = ("full", "window", "closing")
ORDER_CHECK_RESULTS = ("passed", "failed")
SUITE_TRIGGERS = ("startup", "promotion", "schedule", "api")  # a command counts in its own process
SUITE_RESULTS = ("passed", "failed", "error")

BUILD_INFO = Gauge(
    "build_info", "The build that runs", ["version", "python"], namespace=NAMESPACE, multiprocess_mode="livemax"
)

HTTP_REQUESTS = Counter("http_requests", "Requests", ["method", "route", "status"], namespace=NAMESPACE)
HTTP_SECONDS = Histogram(
    "http_request_duration_seconds",
    "Time from a request's arrival to the end of its answer",
    ["route"],
    namespace=NAMESPACE,
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)

INBOUND = Counter("inbound_mails", "Mails by source and result", ["source", "result"], namespace=NAMESPACE)
REFUSED = Counter("refusals", "Requests that were refused", ["reason"], namespace=NAMESPACE)

PREDICTIONS = Counter("predictions", "Stored predictions", ["label", "decision", "model"], namespace=NAMESPACE)
CONFIDENCE = Histogram(
    "prediction_confidence_ratio",
    "Calibrated confidence of stored predictions",
    ["label"],
    namespace=NAMESPACE,
    buckets=(0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99, 1.0),  # fine where thresholds lie
)
REVIEW_REASONS = Counter("review_reasons", "Why predictions went to review", ["reason"], namespace=NAMESPACE)
ORDER_CHECKS = Counter("order_checks", "Order checks of single mails", ["result"], namespace=NAMESPACE)

STAGE_SECONDS = Histogram(
    "stage_duration_seconds",
    "Time in one stage: of a mail in the queue, of a batch elsewhere",
    ["stage"],
    namespace=NAMESPACE,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
QUEUE_LENGTH = Gauge(
    "queue_length_mails", "Mails that wait to be read", namespace=NAMESPACE, multiprocess_mode="livesum"
)
BATCH_SIZE = Histogram(
    "batch_size_mails", "Mails in one batch", namespace=NAMESPACE, buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256)
)
BATCHES = Counter("batches", "Batches by why they were sent", ["reason"], namespace=NAMESPACE)

FEEDBACK = Counter(
    "feedback", "Agents' verdicts: equal labels confirm", ["predicted", "corrected"], namespace=NAMESPACE
)

MODEL_INFO = Gauge(
    "model_info", "The model that is served", ["version"], namespace=NAMESPACE, multiprocess_mode="livemax"
)
SUITE_RUNS = Counter("suite_runs", "Runs of order suites", ["trigger", "result"], namespace=NAMESPACE)
SUITE_PASSED = Gauge(
    "suite_passed",
    "Whether a suite's last run passed",
    ["suite", "model"],
    namespace=NAMESPACE,
    multiprocess_mode="mostrecent",
)
SUITE_PASS = Gauge(
    "suite_pass_ratio",
    "Share of cases that passed in a suite's last run",
    ["suite", "model"],
    namespace=NAMESPACE,
    multiprocess_mode="mostrecent",
)
SUITE_PAIRS = Gauge(
    "suite_pair_accuracy_ratio",
    "Share of pairs with both sides right in a suite's last run",
    ["suite", "model"],
    namespace=NAMESPACE,
    multiprocess_mode="mostrecent",
)
SUITE_LAST_SUCCESS = Gauge(
    "suite_last_success_timestamp_seconds",
    "When the suite last passed on the model",
    ["suite", "model"],
    namespace=NAMESPACE,
    multiprocess_mode="max",
)

POOL = Gauge(
    "database_pool_connections",
    "Connections of the pool",
    ["state"],  # in_use, max
    namespace=NAMESPACE,
    multiprocess_mode="livesum",
)


def touch() -> None:
    """Make every known label value, so that each series exists from the start with 0."""
    BUILD_INFO.labels(version("refund-router"), platform.python_version()).set(1)
    for counter, values in ((REFUSED, REFUSALS), (REVIEW_REASONS, REASONS), (BATCHES, SENT_BECAUSE)):
        for value in values:
            counter.labels(value)
    for result in ORDER_CHECK_RESULTS:
        ORDER_CHECKS.labels(result)
    for stage in STAGES:
        STAGE_SECONDS.labels(stage)
    for source in INBOUND_SOURCES:
        for result in INBOUND_RESULTS:
            INBOUND.labels(source, result)
    for trigger in SUITE_TRIGGERS:
        for result in SUITE_RESULTS:
            SUITE_RUNS.labels(trigger, result)
    for label in LABELS:
        CONFIDENCE.labels(label)
        for corrected in LABELS:
            FEEDBACK.labels(label, corrected)


def show_model(model: str, *, instead_of: str | None = None) -> None:
    """Say which model is served from now on; `instead_of` is the one served until now."""
    if instead_of is not None and instead_of != model:
        MODEL_INFO.labels(instead_of).set(0)
    MODEL_INFO.labels(model).set(1)
    for label in LABELS:
        for decision in DECISIONS:
            PREDICTIONS.labels(label, decision, model)


def show_suite_run(
    suite: str, model: str, *, pass_ratio: float, pair_accuracy: float | None, passed: bool, finished_at: datetime
) -> None:
    """Say what a suite's newest run found on a model; at a start, too, for the runs that the database holds.

    A run is counted in SUITE_RUNS apart from this, once, where it ends.
    """
    SUITE_PASSED.labels(suite, model).set(passed)
    SUITE_PASS.labels(suite, model).set(pass_ratio)
    if pair_accuracy is not None:
        SUITE_PAIRS.labels(suite, model).set(pair_accuracy)
    if passed:
        SUITE_LAST_SUCCESS.labels(suite, model).set(finished_at.timestamp())


touch()
