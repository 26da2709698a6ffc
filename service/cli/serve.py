"""`refund-router serve`."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import typer

from service import logs
from service.cli.entrance import address_of, check_host, console_link, guarded_app, import_app, print_console
from service.cli.terminal import prepare, read_settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    no_keys: Annotated[bool, typer.Option("--no-keys", help="Ask nobody for a key; on loopback only.")] = False,
) -> None:
    """Start the HTTP service and the console, on a database that is brought up to date first.

    Prints a link that signs one browser in; on a database without an admin key it makes one and prints it, once.

    Example: `refund-router serve --port 8080`
    """
    gc.disable()  # until the server has started: what is made meanwhile stays
    given = {"host": host, "port": port, "require_keys": False if no_keys else None}
    check_host(read_settings(**given))
    with ThreadPoolExecutor(1) as aside:  # the app's modules take a second, which the model's loading need not wait for
        imported = aside.submit(import_app)
        settings, classifier = prepare(**given)
        imported.result()
    from service.listening import Server, server_config

    logs.configure(settings.log_format)
    app = guarded_app(settings, classifier)
    config = server_config(app, settings)
    with config.bind_socket() as listening:  # before a key is made: a port that is taken must not cost the key
        link = console_link(settings)
        print_console(address_of(settings.host, listening.getsockname()[1]), link)
        Server(config).run(sockets=[listening])
