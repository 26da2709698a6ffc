"""The console's pages, as one router."""

from __future__ import annotations

from fastapi import APIRouter

from service.console import assets, inbox

router = APIRouter(include_in_schema=False)
for module in (assets, inbox):
    router.include_router(module.router)
