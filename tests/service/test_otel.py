from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from model.classifier import Classifier
from service.app import create_app
from service.otel import OtelTracing
from service.settings import Settings
from service.tracing import ENDPOINTS, make_tracing

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
TRACE_ID, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = {"traceparent": f"00-{TRACE_ID}-{PARENT}-01"}


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def traced(settings: Settings, tiny_classifier: Classifier, exporter: InMemorySpanExporter) -> Iterator[TestClient]:
    tracing = OtelTracing(SimpleSpanProcessor(exporter))
    with TestClient(create_app(settings, tiny_classifier, tracing), raise_server_exceptions=False) as client:
        yield client


def span_id(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.span_id:016x}"


@on_sqlite
def test_a_mail_s_request_queue_inference_and_store_are_spans_of_the_caller_s_trace(
    traced: TestClient, exporter: InMemorySpanExporter
) -> None:
    answer = traced.post("/v1/emails", json={"text": "refund the fee"}, headers=TRACEPARENT)
    spans = {span.name: span for span in exporter.get_finished_spans()}
    request = spans.pop("POST /v1/emails")
    assert set(spans) == {"queue", "inference", "store"}
    assert answer.headers["traceresponse"] == f"00-{TRACE_ID}-{span_id(request)}-01"
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" == PARENT
    assert request.attributes is not None
    assert request.attributes["http.response.status_code"] == 201
    for span in spans.values():
        assert span.parent == request.context
        assert request.start_time <= span.start_time <= span.end_time <= request.end_time  # type: ignore[operator]
    assert spans["queue"].end_time <= spans["inference"].start_time  # type: ignore[operator]
    assert spans["inference"].end_time <= spans["store"].start_time  # type: ignore[operator]


@on_sqlite
def test_mails_that_share_a_batch_have_spans_in_their_own_traces(
    traced: TestClient, exporter: InMemorySpanExporter
) -> None:
    traces = [f"{n:032x}" for n in range(1, 9)]

    def send(trace: str) -> int:
        header = {"traceparent": f"00-{trace}-{PARENT}-01"}
        return traced.post("/v1/emails", json={"text": f"refund {trace}"}, headers=header).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(send, traces)) == {201}
    found = sorted((f"{span.context.trace_id:032x}", span.name) for span in exporter.get_finished_spans())
    names = ["POST /v1/emails", "inference", "queue", "store"]
    assert found == [(trace, name) for trace in traces for name in names]


@on_sqlite
def test_no_span_holds_a_word_of_a_mail(traced: TestClient, exporter: InMemorySpanExporter) -> None:
    traced.post("/v1/emails", json={"message_id": "<secret@x>", "subject": "secret", "text": "secret"})
    traced.post("/v1/emails", json={"text": 5, "secret": "secret"})
    traced.get("/secret?secret")
    spans = exporter.get_finished_spans()
    assert {span.name for span in spans} >= {"POST /v1/emails", "GET unmatched"}
    assert not any("secret" in span.to_json() for span in spans)


def test_without_an_endpoint_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    assert make_tracing() is None


def test_an_endpoint_without_the_extra_is_told_and_the_service_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(ENDPOINTS[0], "http://127.0.0.1:9/v1/traces")
    monkeypatch.setitem(sys.modules, "service.otel", None)
    assert make_tracing() is None
    assert "refund-router[otel]" in caplog.text
