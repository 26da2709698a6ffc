"""Traces as OpenTelemetry has them. Imported only where the extra `otel` is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import Scope

from service.stages import Stage


class OtelRequestSpan:
    def __init__(self, span: Span) -> None:
        self._span = span

    def ids(self) -> tuple[str, str, str]:
        context = self._span.get_span_context()
        return f"{context.trace_id:032x}", f"{context.span_id:016x}", f"{context.trace_flags:02x}"

    def end(self, *, method: str, route: str, status: int | None) -> None:
        """Names of OpenTelemetry's semantic conventions for HTTP servers."""
        self._span.update_name(f"{method} {route}")
        self._span.set_attributes({"http.request.method": method, "http.route": route})
        if status is not None:
            self._span.set_attribute("http.response.status_code", status)
            if status >= 500:
                self._span.set_status(Status(StatusCode.ERROR))


class OtelTracing:
    def __init__(self, processor: SpanProcessor) -> None:
        resource = Resource.create({"service.name": "refund-router", "service.version": version("refund-router")})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("service")
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def request(self, scope: Scope) -> Iterator[OtelRequestSpan]:
        parent = self._propagator.extract(Headers(scope=scope))
        # an exception's message may quote a mail, so it is not recorded
        with self._tracer.start_as_current_span(
            "request", parent, SpanKind.SERVER, record_exception=False, set_status_on_exception=False
        ) as span:
            yield OtelRequestSpan(span)

    def stages(self, stages: Sequence[Stage]) -> None:
        for stage in stages:
            self._tracer.start_span(stage.name, start_time=stage.since).end(stage.until)

    def close(self) -> None:
        self._provider.shutdown()


def exporting() -> OtelTracing:
    """To the endpoint of OpenTelemetry's environment variables, in the background."""
    return OtelTracing(BatchSpanProcessor(OTLPSpanExporter()))
