"""The dashboard as code.

python deploy/grafana/make_dashboard.py    write dashboards/refund-router.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent / "dashboards" / "refund-router.json"
SOURCE = {"type": "prometheus", "uid": "prometheus"}
WIDTH, HEIGHT = 24, 8
JOB = 'job="refund-router"'

# row: title, then panels: title, unit, kind, [(query, legend), …]
Panel = tuple[str, str, str, list[tuple[str, str]]]
ROWS: list[tuple[str, list[Panel]]] = [
    (
        "Golden signals",
        [
            ("Requests", "reqps", "timeseries", [(f"job:refund_router_http_requests:rate5m{{{JOB}}}", "all")]),
            (
                "Errors by status",
                "reqps",
                "timeseries",
                [
                    (
                        f'sum by (status) (rate(refund_router_http_requests_total{{{JOB},status!~"2.."}}[5m]))',
                        "{{status}}",
                    )
                ],
            ),
            (
                "Share that failed by our fault",
                "percentunit",
                "timeseries",
                [
                    (f"job:refund_router_http_errors:ratio_rate5m{{{JOB}}}", "5 minutes"),
                    (f"job:refund_router_http_errors:ratio_rate1h{{{JOB}}}", "1 hour"),
                ],
            ),
            (
                "Duration",
                "s",
                "timeseries",
                [
                    (
                        f"job_route:refund_router_http_request_duration_seconds:p50_rate5m{{{JOB}}} >= 0",
                        "half, {{route}}",
                    ),
                    (
                        f"job_route:refund_router_http_request_duration_seconds:p99_rate5m{{{JOB}}} >= 0",
                        "p99, {{route}}",
                    ),
                ],
            ),
            (
                "Mails in the queue",
                "short",
                "timeseries",
                [(f"refund_router_queue_length_mails{{{JOB}}}", "{{instance}}")],
            ),
            (
                "Database pool",
                "short",
                "timeseries",
                [
                    (f"refund_router_database_pool_connections{{{JOB}}}", "{{state}}, {{instance}}"),
                    (f"refund_router_database_up{{{JOB}}}", "database up, {{instance}}"),
                ],
            ),
        ],
    ),
    (
        "Stages",
        [
            (
                "Stages, p95",
                "s",
                "timeseries",
                [(f"job_stage:refund_router_stage_duration_seconds:p95_rate5m{{{JOB}}} >= 0", "{{stage}}")],
            ),
            (
                "Mails in a batch",
                "short",
                "timeseries",
                [
                    (
                        f"sum(rate(refund_router_batch_size_mails_sum{{{JOB}}}[5m]))"
                        f" / sum(rate(refund_router_batch_size_mails_count{{{JOB}}}[5m]))",
                        "mean",
                    )
                ],
            ),
            (
                "Why batches were sent",
                "short",
                "timeseries",
                [(f"sum by (reason) (rate(refund_router_batches_total{{{JOB}}}[5m]))", "{{reason}}")],
            ),
        ],
    ),
    (
        "Mail",
        [
            (
                "Mail in",
                "short",
                "timeseries",
                [(f"job_source_result:refund_router_inbound_mails:rate5m{{{JOB}}}", "{{source}}, {{result}}")],
            ),
            (
                "Refusals",
                "short",
                "timeseries",
                [(f"sum by (reason) (rate(refund_router_refusals_total{{{JOB}}}[5m]))", "{{reason}}")],
            ),
            (
                "Since the last mail",
                "s",
                "stat",
                [(f"time() - max(refund_router_inbound_last_received_timestamp_seconds{{{JOB}}})", "last mail")],
            ),
        ],
    ),
    (
        "Predictions",
        [
            ("Labels", "short", "timeseries", [(f"job_label:refund_router_predictions:rate5m{{{JOB}}}", "{{label}}")]),
            (
                "Decisions",
                "short",
                "timeseries",
                [(f"job_decision:refund_router_predictions:rate5m{{{JOB}}}", "{{decision}}")],
            ),
            (
                "Reasons for review",
                "short",
                "timeseries",
                [(f"sum by (reason) (rate(refund_router_review_reasons_total{{{JOB}}}[5m]))", "{{reason}}")],
            ),
            (
                "Confidence",
                "percentunit",
                "heatmap",
                [(f"sum by (le) (rate(refund_router_prediction_confidence_ratio_bucket{{{JOB}}}[5m]))", "{{le}}")],
            ),
            (
                "Confidence, mean of an hour",
                "percentunit",
                "timeseries",
                [(f"job:refund_router_prediction_confidence_ratio:mean1h{{{JOB}}}", "mean")],
            ),
            (
                "Order checks of mails",
                "short",
                "timeseries",
                [(f"sum by (result) (rate(refund_router_order_checks_total{{{JOB}}}[5m]))", "{{result}}")],
            ),
        ],
    ),
    (
        "Agents",
        [
            (
                "Override rate, one day",
                "percentunit",
                "timeseries",
                [(f"job:refund_router_feedback_corrected:ratio_increase1d{{{JOB}}}", "corrected")],
            ),
            (
                "Corrections, one day: predicted → corrected",
                "short",
                "table",
                [(f"sum by (predicted, corrected) (increase(refund_router_feedback_total{{{JOB}}}[1d])) > 0", "")],
            ),
            (
                "Review queue",
                "short",
                "timeseries",
                [(f"max(refund_router_review_backlog_mails{{{JOB}}})", "mails that wait")],
            ),
            (
                "Oldest mail in review",
                "s",
                "timeseries",
                [(f"max(refund_router_review_oldest_age_seconds{{{JOB}}})", "age")],
            ),
        ],
    ),
    (
        "Model",
        [
            ("Model that is served", "short", "table", [(f"max by (version) (refund_router_model_info{{{JOB}}})", "")]),
            (
                "Suite, share of cases passed",
                "percentunit",
                "timeseries",
                [(f"max by (suite, model) (refund_router_suite_pass_ratio{{{JOB}}})", "{{suite}}, {{model}}")],
            ),
            (
                "Suite, both sides of a pair right",
                "percentunit",
                "timeseries",
                [(f"max by (suite, model) (refund_router_suite_pair_accuracy_ratio{{{JOB}}})", "{{suite}}, {{model}}")],
            ),
            (
                "Since a suite passed",
                "s",
                "stat",
                [
                    (
                        f"time() - max by (suite, model) (refund_router_suite_last_success_timestamp_seconds{{{JOB}}})",
                        "{{suite}}, {{model}}",
                    )
                ],
            ),
            (
                "Suite runs",
                "short",
                "timeseries",
                [
                    (
                        f"sum by (trigger, result) (increase(refund_router_suite_runs_total{{{JOB}}}[1d]))",
                        "{{trigger}}, {{result}}",
                    )
                ],
            ),
        ],
    ),
    (
        "Drift",
        [
            (
                "Distance, 1 is what chance explains",
                "short",
                "timeseries",
                [(f"job_signal:refund_router_drift:excess_ratio{{{JOB}}}", "{{signal}}")],
            ),
            (
                "Distances and thresholds",
                "short",
                "timeseries",
                [
                    (f"max by (signal) (refund_router_drift_distance{{{JOB}}})", "{{signal}}"),
                    (f"max by (signal) (refund_router_drift_threshold{{{JOB}}})", "{{signal}}, threshold"),
                ],
            ),
            (
                "Accuracy, estimated without labels",
                "percentunit",
                "timeseries",
                [(f"max(refund_router_estimated_accuracy_ratio{{{JOB}}})", "estimate")],
            ),
        ],
    ),
]


def panel(number: int, x: int, y: int, width: int, spec: Panel) -> dict[str, Any]:
    title, unit, kind, queries = spec
    return {
        "id": number,
        "type": kind,
        "title": title,
        "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": width, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": SOURCE,
                "expr": query,
                "legendFormat": legend,
                **({"format": "table", "instant": True} if kind == "table" else {}),
                **({"format": "heatmap"} if kind == "heatmap" else {}),
            }
            for place, (query, legend) in enumerate(queries)
        ],
    }


def annotation(name: str, colour: str, query: str, title: str) -> dict[str, Any]:
    return {
        "name": name,
        "datasource": SOURCE,
        "enable": True,
        "iconColor": colour,
        "expr": query,
        "titleFormat": title,
        "step": "60s",
    }


def dashboard() -> dict[str, Any]:
    panels: list[dict[str, Any]] = []
    number = y = 0
    for title, specs in ROWS:
        number += 1
        panels.append({"id": number, "type": "row", "title": title, "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1}})
        y += 1
        for start in range(0, len(specs), 3):
            line = specs[start : start + 3]
            for place, spec in enumerate(line):
                number += 1
                panels.append(panel(number, place * WIDTH // len(line), y, WIDTH // len(line), spec))
            y += HEIGHT
    return {
        "uid": "refund-router",
        "title": "Refund Router",
        "tags": ["refund-router"],
        "schemaVersion": 39,
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "30s",
        "annotations": {
            "list": [
                annotation(
                    "Model promoted",
                    "purple",
                    f"max by (version) (refund_router_model_info{{{JOB}}} == 1)"
                    f" unless max by (version) (refund_router_model_info{{{JOB}}} offset 2m == 1)",
                    "model {{version}}",
                ),
                annotation(
                    "Release",
                    "blue",
                    f"max by (version) (refund_router_build_info{{{JOB}}})"
                    f" unless max by (version) (refund_router_build_info{{{JOB}}} offset 2m)",
                    "release {{version}}",
                ),
            ]
        },
        "panels": panels,
    }


def rendered() -> str:
    return json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(rendered(), encoding="utf-8")
