"""/healthz, /readyz and /metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from sqlalchemy.exc import SQLAlchemyError

from service.dependencies import CheckerDep, CollectorDep, FollowerDep, ReaderDep, SessionDep
from service.errors import Unavailable
from service.metrics.exposition import render
from service.queries import database as queries
from service.routers.emails import PROBLEMS
from service.schemas.emails import Health, Ready

router = APIRouter(tags=["health"])
DOWN: dict[int | str, dict[str, Any]] = {503: PROBLEMS[503]}


@router.get("/healthz", responses=DOWN)
def healthz(session: SessionDep) -> Health:
    """The process runs and its database answers."""
    queries.ping(session)
    return Health()


@router.get("/readyz", responses=DOWN)
def readyz(session: SessionDep, reader: ReaderDep, follower: FollowerDep, checker: CheckerDep) -> Ready:
    """Mail can be taken: the database has its tables and a model is loaded."""
    try:
        revision = queries.migration_revision(session)
    except SQLAlchemyError as error:
        raise Unavailable("the database does not answer, or has no tables: run refund-router db upgrade") from error
    if revision is None:
        raise Unavailable("the database has no tables: run refund-router db upgrade")
    if checker.not_ready is not None:
        raise Unavailable(checker.not_ready)
    return Ready(model_version=reader.classifier.version, migration=revision, model_problem=follower.problem)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(collector: CollectorDep) -> Response:
    """Prometheus' text format."""
    return Response(render(collector), media_type=CONTENT_TYPE_PLAIN_0_0_4)
