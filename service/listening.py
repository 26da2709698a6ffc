"""How the service listens: with patience for slow callers, but not without end."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import socket
import struct
import sys
import termios
from typing import ClassVar

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.settings import Settings

BACKLOG = 128  # asyncio accepts so often at once, and where no descriptor is left logs as many failures a second
GRACE_SECONDS = 5  # past the time that a caller may take: what was accepted last is read, stored and answered in it


SWITCH_SECONDS = 0.001  # after which the batch's thread lets the event loop go on, which waits in turn at every mail


class PatientProtocol(H11Protocol):
    """uvicorn's, which waits for ever for the rest of a head, or of a body that was refused, and for a caller who takes
    nothing of its answer; here the connection ends.

    The time in which a body that is wanted must arrive is kept by service.slow_bodies, which can still answer.
    """

    seconds: ClassVar[float]
    _end: asyncio.TimerHandle | None = None
    _look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_looking()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_later(_left_bytes(self.transport))

    def resume_writing(self) -> None:
        self._stop_looking()
        super().resume_writing()

    def _look_later(self, left_bytes: int) -> None:
        self._stop_looking()
        self._look = self.loop.call_later(self.seconds, self._look_at_reader, left_bytes)

    def _look_at_reader(self, left_bytes: int) -> None:
        """A caller who takes something has as long again, so that a large answer may go over a slow line."""
        left_now = _left_bytes(self.transport)
        if left_now < left_bytes:
            self._look_later(left_now)
        else:
            self.transport.abort()

    def _stop_looking(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None

    def _wait(self) -> None:
        if self._end is None:  # what trickles in wins no time
            self._end = self.loop.call_later(self.seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None


def _left_bytes(transport: asyncio.Transport) -> int:
    """What the other side has not received yet: here, and in the kernel, which holds megabytes."""
    in_kernel = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, struct.pack("i", 0))
    return transport.get_write_buffer_size() + int(struct.unpack("i", in_kernel)[0])


class Server(uvicorn.Server):
    """uvicorn's; what the start made is never looked at by the garbage collector, which would stop the loop for it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        await super().startup(sockets)
        gc.freeze()
        gc.enable()


def server_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """For the settings' address. A stop waits for callers as long as they may take, and then ends their connections."""

    class Protocol(PatientProtocol):
        seconds = settings.client_timeout_seconds

    return uvicorn.Config(
        app,
        settings.host,
        settings.port,
        http=Protocol,
        lifespan="on",
        log_level="warning",
        log_config=None,  # its records take the shape of ours
        backlog=BACKLOG,
        timeout_graceful_shutdown=int(settings.client_timeout_seconds) + GRACE_SECONDS,
    )
