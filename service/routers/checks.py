"""/v1/checks: runs of the order suites, what they found, and how that went over time."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from service.check_answers import case_answer, run_answer, trend_point
from service.dependencies import ActorDep, CheckerDep, SessionDep
from service.errors import NotFound
from service.queries import checks as queries
from service.routers.emails import MISSING, PROBLEMS, Id
from service.schemas.checks import RunIn, RunPage, RunState, RunTrigger, RunWithCases, Trend
from service.schemas.emails import Line, Problem

router = APIRouter(prefix="/v1/checks", tags=["checks"])
DOWN: dict[int | str, dict[str, Any]] = {status: PROBLEMS[status] for status in (422, 503)}
CONFLICT: dict[int | str, dict[str, Any]] = {409: {"model": Problem, "content": {"application/problem+json": {}}}}
Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(pattern=Id, description="next_cursor of the page before")]


@router.post("/runs", status_code=HTTPStatus.ACCEPTED, responses={**MISSING, **CONFLICT, **DOWN})
def post_run(checker: CheckerDep, actor: ActorDep, response: Response, body: RunIn | None = None) -> RunPage:
    """Run suites in the background, a run each; Location is where the first is read, also while it runs."""
    asked = body or RunIn()
    runs = checker.submit(asked.suites, asked.model, trigger="api", actor=actor)
    response.headers["Location"] = f"/v1/checks/runs/{runs[0].id}"
    return RunPage(data=[run_answer(run) for run in runs])


@router.get("/runs", responses=DOWN)
def get_runs(
    session: SessionDep,
    suite: Line | None = None,
    model: Line | None = None,
    trigger: RunTrigger | None = None,
    state: RunState | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> RunPage:
    """Runs, newest first."""
    found = queries.list_runs(
        session, limit=limit + 1, before_id=cursor, suite=suite, model_version=model, trigger=trigger, state=state
    )
    page = [run_answer(run) for run in found[:limit]]
    return RunPage(data=page, next_cursor=page[-1].id if len(found) > limit else None)


@router.get("/runs/{run_id}", responses={**MISSING, **DOWN})
def get_run(
    run_id: str,
    session: SessionDep,
    passed: Annotated[bool | None, Query(description="only cases that passed, or only those that failed")] = None,
    limit: Limit = 50,
    cursor: Annotated[int | None, Query(ge=0, le=2**31 - 1, description="next_cursor of the page before")] = None,
) -> RunWithCases:
    """One run with its cases, in the suite's order."""
    run = queries.run_by_id(session, run_id=run_id) if "\0" not in run_id else None
    if run is None:
        raise NotFound("no run has this id")
    found = queries.list_cases(session, run_id=run_id, limit=limit + 1, after_number=cursor, passed=passed)
    page = [case_answer(case) for case in found[:limit]]
    more = str(page[-1].number) if len(found) > limit else None
    return RunWithCases(run=run_answer(run), cases=page, next_cursor=more)


@router.get("/trend", responses=DOWN)
def get_trend(
    session: SessionDep,
    suite: Line,
    model: Line | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Trend:
    """How a suite's runs went, over models and time; oldest first."""
    found = queries.finished_runs(session, suite=suite, model_version=model, limit=limit + 1, before_id=cursor)
    points = [trend_point(run) for run in reversed(found[:limit])]
    return Trend(data=points, next_cursor=points[0].run_id if len(found) > limit else None)
