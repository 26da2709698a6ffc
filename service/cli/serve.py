"""`refund-router serve`."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from service.cli.terminal import err, prepare


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
) -> None:
    """Start the HTTP service and the console, on a database that is brought up to date first.

    Example: `refund-router serve --port 8080`
    """
    import uvicorn

    from service.app import create_app

    settings, classifier = prepare(host=host, port=port)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    err.print(f"console: http://{settings.host}:{settings.port}/")
    uvicorn.run(
        create_app(settings, classifier), host=settings.host, port=settings.port, log_level="warning", lifespan="on"
    )
