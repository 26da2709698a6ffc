"""Suite runs: what each found, how a suite went over time, and every pair with its two mails side by side."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from service.access import may
from service.adopting import told_case
from service.check_answers import case_answer, run_answer, trend_point
from service.console.cases import as_yaml
from service.console.marks import marked
from service.console.plots import plot
from service.console.site import page
from service.dependencies import CheckerDep, SessionDep
from service.queries import checks as queries
from service.schemas.checks import RunCaseOut
from service.shop_suite import NAME

router = APIRouter(include_in_schema=False)
SHOWN_RUNS = 40
SHOWN_CASES = 50
TREND_RUNS = 30


@router.get("/checks", response_class=HTMLResponse)
def checks(request: Request, session: SessionDep, checker: CheckerDep) -> HTMLResponse:
    """The newest runs, and for each suite among them how its share of passed cases went."""
    runs = [run_answer(run) for run in queries.list_runs(session, limit=SHOWN_RUNS)]
    trends = []
    for suite in dict.fromkeys(run.suite for run in runs):
        found = queries.finished_runs(session, suite=suite, model_version=None, limit=TREND_RUNS)
        points = [trend_point(run) for run in reversed(found)]
        columns = [
            (f"{point.created_at:%m-%d %H:%M} {point.model_version}", point.pass_ratio * 100) for point in points
        ]
        if columns:
            trends.append(plot(f"{suite}, share passed", columns, unit="%"))
    return page(
        request,
        "checks.html",
        {
            "runs": runs,
            "plots": trends,
            "waiting": checker.waiting_ids(),
            "running": sum(run.state == "running" for run in runs),
            "may_run": may(request.state.role, "POST", "/v1/checks/runs"),
            "may_see_cases": may(request.state.role, "GET", "/checks/cases"),
        },
    )


@router.get("/checks/{run_id}", response_class=HTMLResponse)
def check(
    request: Request,
    run_id: str,
    session: SessionDep,
    show: Annotated[str, Query(max_length=10)] = "",
    after: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
) -> HTMLResponse:
    """One run; show: `failed`, `passed`, or every case. after: the number of the last case that was seen."""
    run = queries.run_by_id(session, run_id=run_id) if "\0" not in run_id else None
    if run is None:
        return page(request, "missing.html", {"what": "run"}, status=404)
    passed = {"failed": False, "passed": True}.get(show)
    found = queries.list_cases(session, run_id=run_id, limit=SHOWN_CASES + 1, after_number=after, passed=passed)
    cases = [case_answer(case) for case in found[:SHOWN_CASES]]
    own = run.suite == NAME
    context = {
        "run": run_answer(run),
        "cases": [{"case": case, "texts": _texts(case), "yaml": None if own else _yaml(case)} for case in cases],
        "own": own,
        "may_add": may(request.state.role, "POST", f"/v1/checks/runs/{run.id}/cases/0/adopt"),
        "show": show,
        "more": cases[-1].number if len(found) > SHOWN_CASES else None,
    }
    return page(request, "check.html", context)


def _texts(case: RunCaseOut) -> list[dict[str, Any]]:
    """Each reading with its words marked; an answer kept without spans has none."""
    return [{**reading, "words": marked(reading["text"], reading.get("spans") or [])} for reading in case.readings]


def _yaml(case: RunCaseOut) -> str | None:
    """The case as a suite's file has it; None for one that cannot stand in a suite of one's own."""
    told = told_case(case.kind, case.readings)
    return as_yaml({"id": case.case_id, **told}) if told is not None else None
