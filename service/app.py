"""The application: made whole from settings, and disposed by its lifespan. Importing this does nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, TypedDict

from fastapi import FastAPI
from sqlalchemy.orm import Session, sessionmaker

from model.classifier import Classifier
from service import errors
from service.batching import Batcher
from service.body_limit import BodyLimitMiddleware
from service.console import pages
from service.database import make_engine, make_sessions
from service.metrics import BATCH_SIZE, MODEL_INFO, QUEUE_LENGTH, MetricsMiddleware
from service.reading import Job, Reader, Stored
from service.routers import classify, emails, health, labels, raw_emails
from service.settings import Settings


class State(TypedDict):
    """What the lifespan makes, as `request.state`."""

    sessions: sessionmaker[Session]
    reader: Reader
    batcher: Batcher[Job, Stored]
    own_addresses: frozenset[str]


def create_app(settings: Settings, classifier: Classifier | None = None) -> FastAPI:
    """classifier: one that the caller has loaded already; else the lifespan loads the settings' model folder."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
        sessions = make_sessions(engine)
        serving = classifier or Classifier(settings.model_folder)
        reader = Reader(serving, sessions, auto_threshold=settings.auto_threshold)
        batcher: Batcher[Job, Stored] = Batcher(
            reader.process,
            max_batch=settings.max_batch,
            window_seconds=settings.batch_window_seconds,
            queue_size=settings.queue_size,
            observe=BATCH_SIZE.observe,
        )
        QUEUE_LENGTH.set_function(lambda: len(batcher))
        MODEL_INFO.labels(serving.version).set(1)
        batcher.start()
        own_addresses = settings.own_address_set()
        yield State(sessions=sessions, reader=reader, batcher=batcher, own_addresses=own_addresses)
        await batcher.close()
        engine.dispose()

    app = FastAPI(
        title="Refund Router",
        version=version("refund-router"),
        description="Labels customer mails with what is wanted done about money, and proves that it reads word order.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(BodyLimitMiddleware, max_bytes=settings.max_body_bytes)
    app.add_middleware(MetricsMiddleware)
    errors.add_handlers(app)
    for module in (raw_emails, emails, classify, labels, health, pages):
        app.include_router(module.router)
    return app


def openapi_document() -> dict[str, Any]:
    """The contract, as committed in openapi.json."""
    return create_app(Settings()).openapi()
