"""The application: made whole from settings, and disposed by its lifespan. Importing this does nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from typing import Any, TypedDict

from fastapi import FastAPI
from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier
from service import errors, log_privacy
from service.batching import Batcher
from service.body_limit import BodyLimitMiddleware
from service.callers import Callers
from service.checking import Checker
from service.console import pages, sign_in
from service.console.arrivals import Arrivals
from service.database import make_engine, make_sessions
from service.drift import last_day
from service.following import Follower
from service.gate import Gate
from service.housekeeping import Housekeeping
from service.keeping import Keeping
from service.metrics import show_model
from service.metrics.collector import DatabaseCollector
from service.metrics.http import MetricsMiddleware
from service.metrics.watch import BatchMetrics, watch_pool
from service.model_shelf import ModelShelf, load_copy
from service.openapi import Api, operation_id
from service.promotion_queue import PromotionQueue
from service.rate_limit import TokenBuckets
from service.reading import Job, Reader, Stored
from service.request_log import RequestLogMiddleware
from service.routers import (
    audit,
    batches,
    checks,
    classify,
    drift,
    emails,
    erasures,
    explain,
    feedback,
    health,
    keys,
    labels,
    models,
    raw_emails,
    reviews,
    shop_cases,
    views,
)
from service.security_headers import SecurityHeadersMiddleware
from service.settings import Settings, released_model
from service.slow_bodies import SlowBodyMiddleware
from service.start_check import StartCheck
from service.suite_runs import SuiteRuns
from service.tracing import Tracing, make_tracing

log = logging.getLogger(__name__)


class State(TypedDict):
    """What the lifespan makes, as `request.state`."""

    sessions: sessionmaker[Session]
    reader: Reader
    shelf: ModelShelf
    follower: Follower
    suite_runs: SuiteRuns
    checker: Checker
    promotion_queue: PromotionQueue
    batcher: Batcher[Job, Stored]
    own_addresses: frozenset[str]
    callers: Callers
    settings: Settings
    sign_in_tries: TokenBuckets
    collector: DatabaseCollector
    arrivals: Arrivals


def create_app(settings: Settings, classifier: Classifier | None = None, tracing: Tracing | None = None) -> FastAPI:
    """classifier: one that the caller has loaded already; else the lifespan loads the settings' model folder.
    tracing: where spans go; else where OpenTelemetry's environment variables say."""
    tracing = tracing or make_tracing()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        log_privacy.install()
        engine = make_engine(
            settings.database_url,
            timeout_seconds=settings.database_timeout_seconds,
            pool_size=settings.database_pool_size,
        )
        sessions = make_sessions(engine)
        serving = classifier or load_copy(settings.model_folder)
        reader = Reader(
            serving,
            sessions,
            auto_threshold=settings.auto_threshold,
            same_content_seconds=settings.same_content_seconds,
            overrides=settings.overrides(),
            keeping=Keeping(
                text=settings.text_retention_days > 0,
                redacted=settings.redact_stored,
                review_patience_seconds=settings.review_patience_seconds,
            ),
        )
        batcher: Batcher[Job, Stored] = Batcher(
            reader.process,
            max_batch=settings.max_batch,
            window_seconds=settings.batch_window_seconds,
            queue_size=settings.queue_size,
            watch=BatchMetrics(),
            trace=tracing.stages if tracing is not None else None,
        )
        collector = DatabaseCollector(settings.database_url, measure=partial(last_day, reader))
        arrivals = Arrivals(sessions)
        watch_pool(engine)
        show_model(serving.version)
        shelf = ModelShelf(
            settings.models_folder,
            default=settings.model_folder,
            default_version=serving.version,
            released=released_model(),
        )
        follower = Follower(reader, sessions, shelf, poll_seconds=settings.model_poll_seconds)
        await asyncio.to_thread(follower.follow)  # what was promoted before serves from the first mail on
        follower.start()
        suite_runs = SuiteRuns(
            sessions,
            suite_files=settings.suite_files(),
            auto_threshold=settings.auto_threshold,
            every_hours=settings.check_every_hours,
        )
        start_check = StartCheck(
            reader,
            sessions,
            follower,
            suite_runs,
            at_start=settings.check_at_start,
            keep_last_good=settings.keep_last_good,
        )
        checker = Checker(reader, sessions, shelf, suite_runs, start_check)
        promotion_queue = PromotionQueue()
        checker.start()
        batcher.start()
        own_addresses = settings.own_address_set()
        callers = Callers(sessions, idle=timedelta(seconds=settings.session_idle_seconds))
        housekeeping = Housekeeping(
            sessions, pause_seconds=settings.housekeeping_seconds, retention_days=settings.text_retention_days
        )
        housekeeping.start()
        warming = asyncio.create_task(_warm_up(reader))  # a mail that comes meanwhile waits for it
        yield State(
            sessions=sessions,
            reader=reader,
            shelf=shelf,
            follower=follower,
            suite_runs=suite_runs,
            checker=checker,
            promotion_queue=promotion_queue,
            batcher=batcher,
            own_addresses=own_addresses,
            callers=callers,
            settings=settings,
            sign_in_tries=TokenBuckets(),
            collector=collector,
            arrivals=arrivals,
        )
        await warming
        await arrivals.close()
        await checker.close()
        await promotion_queue.close()
        await follower.close()
        await batcher.close()
        await callers.close()
        await housekeeping.close()
        collector.close()
        if tracing is not None:
            await asyncio.to_thread(tracing.close)
        engine.dispose()

    app = Api(
        title="Refund Router",
        version=version("refund-router"),
        description="Labels customer mails with what is wanted done about money, and proves that it reads word order.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
    )
    app.add_middleware(BodyLimitMiddleware, max_bytes=settings.max_body_bytes)
    app.add_middleware(Gate, settings=settings)
    app.add_middleware(SlowBodyMiddleware, seconds=settings.client_timeout_seconds)
    app.add_middleware(MetricsMiddleware)
    app.add_middleware(SecurityHeadersMiddleware)
    app.add_middleware(RequestLogMiddleware, tracing=tracing)
    errors.add_handlers(app)
    labelled = (raw_emails, batches, emails, feedback, reviews, views, erasures, classify, explain, labels)
    for module in (*labelled, models, drift, checks, shop_cases, keys, audit, sign_in, health, pages):
        app.include_router(module.router)
    return app


async def _warm_up(reader: Reader) -> None:
    try:
        await asyncio.to_thread(reader.warm_up)
    except OSError as error:
        log.warning("what the first mail needs was not loaded beforehand: %s", type(error).__name__)


def openapi_document() -> dict[str, Any]:
    """The contract, as committed in openapi.json."""
    return create_app(Settings()).openapi()
