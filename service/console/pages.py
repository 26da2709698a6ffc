"""The console's pages, and the call that lays a reading open for them, as one router."""

from __future__ import annotations

from fastapi import APIRouter

from service.console import assets, checks, health, inbox, lab, mail, models
from service.routers import explain

router = APIRouter()
for module in (assets, inbox, mail, checks, lab, models, health, explain):
    router.include_router(module.router)
