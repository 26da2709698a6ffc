"""The shop's own cases: looked through, worded anew, retired and taken in again; `/v1/checks/cases` does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import yaml
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from model.config import LABELS
from service.console.site import page
from service.dependencies import SessionDep
from service.queries import shop_cases as queries

router = APIRouter(include_in_schema=False)
SHOWN_CASES = 30
SEVERITIES = ("critical", "major", "minor")


@router.get("/checks/cases", response_class=HTMLResponse)
def cases(
    request: Request,
    session: SessionDep,
    retired: bool = False,
    before: Annotated[str, Query(max_length=36)] = "",
) -> HTMLResponse:
    """The newest first. retired: those that run no more. before: the id of the last case of the page that was seen."""
    before = before.replace("\0", "")
    found = queries.list_cases(session, limit=SHOWN_CASES + 1, before_id=before or None, retired=retired)
    rows = found[:SHOWN_CASES]
    context = {
        "rows": [{"row": row, "mails": list(mails(row.case))} for row in rows],
        "retired": retired,
        "before": before,
        "older": rows[-1].id if len(found) > SHOWN_CASES else None,
    }
    return page(request, "cases.html", context)


@router.get("/checks/cases/{case_id}", response_class=HTMLResponse)
def case(request: Request, case_id: str, session: SessionDep) -> HTMLResponse:
    """One case with every wording that it had."""
    revisions = queries.revisions(session, case_id=case_id) if "\0" not in case_id else ()
    if not revisions:
        return page(request, "missing.html", {"what": "case"}, status=404)
    row = revisions[0]
    context = {
        "row": row,
        "mails": list(mails(row.case)),
        "yaml": as_yaml(row.case),
        "revisions": [{"row": revision, "mails": list(mails(revision.case))} for revision in revisions],
        "labels": LABELS,
        "severities": SEVERITIES,
    }
    return page(request, "case.html", context)


def mails(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The mails of a case that a form can word anew, each with the place of its text and label in it."""
    for side in ("a", "b") if "a" in case else (None,):
        told = case if side is None else case[side]
        name = {None: "The mail", "a": "The mail", "b": "Its partner"}[side]
        yield {"place": side or "", "name": name, "text": told.get("text") or "", "label": told.get("label")}


def as_yaml(case: dict[str, Any]) -> str:
    """As it stands among a suite's cases."""
    return yaml.safe_dump([case], allow_unicode=True, sort_keys=False, width=100)
