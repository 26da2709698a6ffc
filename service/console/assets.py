"""Stylesheets and scripts of the console, under names that carry their hash: a browser may keep them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Response

from service.errors import NotFound

router = APIRouter(include_in_schema=False)
FOLDER = Path(__file__).parent / "static"
MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
HASH_CHARACTERS = 10


@dataclass(frozen=True)
class Asset:
    """A file as it is served; its name changes with its content."""

    name: str
    content: bytes
    media_type: str


@cache
def assets() -> dict[str, Asset]:
    """Every static file by its plain name, read once a process."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()[:HASH_CHARACTERS]
        found[path.name] = Asset(f"{path.stem}.{digest}{path.suffix}", content, MEDIA_TYPES[path.suffix])
    return found


def asset_url(plain_name: str) -> str:
    """The address of a static file. Raises KeyError for a name that does not exist."""
    return f"/static/{assets()[plain_name].name}"


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    """A file under its hashed name; an old hash is gone, for its content is."""
    for asset in assets().values():
        if asset.name == name:
            headers = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
            return Response(asset.content, media_type=asset.media_type, headers=headers)
    raise NotFound("no static file has this name")
