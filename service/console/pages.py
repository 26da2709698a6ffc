"""The console's pages as one router."""

from __future__ import annotations

from fastapi import APIRouter

from service.console import assets, checks, health, inbox, lab, mail, models, review

router = APIRouter()
for module in (assets, inbox, mail, review, checks, lab, models, health):
    router.include_router(module.router)
