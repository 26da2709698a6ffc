"""The console's pages as one router."""

from __future__ import annotations

from fastapi import APIRouter

from service.console import assets, cases, checks, health, inbox, lab, mail, models, review

router = APIRouter()
# cases before checks: /checks/cases is no run's id
for module in (assets, inbox, mail, review, cases, checks, lab, models, health):
    router.include_router(module.router)
