"""What every page of the console shares: templates, the navigation, and headers that let nothing foreign run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from service.access import may
from service.console.assets import asset_url

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",  # customers' words do not stay in a shared browser
}


class Place(NamedTuple):
    """An entry of the navigation."""

    address: str
    name: str


NAVIGATION = (
    Place("/", "Inbox"),
    Place("/review", "Review"),
    Place("/checks", "Checks"),
    Place("/lab", "Order lab"),
    Place("/models", "Models"),
    Place("/health", "Health"),
)


def age(moment: datetime, now: datetime) -> str:
    """How long ago, in one short word: 40s, 12m, 5h, 3d, then the date."""
    seconds = max(0, int((now - moment).total_seconds()))
    for limit, unit, name in ((60, 1, "s"), (3_600, 60, "m"), (86_400, 3_600, "h"), (7 * 86_400, 86_400, "d")):
        if seconds < limit:
            return f"{seconds // unit}{name}"
    return f"{moment:%Y-%m-%d}"


def percent(share: float) -> str:
    """A probability for people: never rounded up to 100 % nor down to 0 %."""
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    return f"{share * 100:.1f} %"


def words(name: str) -> str:
    """`refund_fee` as people write it."""
    return name.replace("_", " ")


def _templates() -> Jinja2Templates:
    templates = Jinja2Templates(directory=Path(__file__).parent / "templates")
    templates.env.trim_blocks = templates.env.lstrip_blocks = True
    templates.env.globals.update(asset=asset_url)
    templates.env.filters.update(percent=percent, words=words)
    return templates


TEMPLATES = _templates()


def page(request: Request, template: str, context: dict[str, Any], *, status: int = 200) -> HTMLResponse:
    """A template as a whole page or a piece of one, with the headers that every page has."""
    now = datetime.now(UTC)
    shared = {
        "here": request.url.path,
        "actor": getattr(request.state, "actor", "local"),
        "navigation": [place for place in NAVIGATION if may(request.state.role, "GET", place.address)],
        "csrf_token": getattr(request.state, "csrf_token", ""),
        "model_version": request.state.reader.classifier.version,
        "age": lambda moment: age(moment, now),
    }
    return TEMPLATES.TemplateResponse(request, template, {**shared, **context}, status_code=status, headers=HEADERS)
