"""Ends a request whose body does not arrive in time, so that a caller who stops half-way holds nothing for ever."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import problem


class SlowBodyMiddleware:
    """408 and the end of the connection where the whole body is not there after `seconds`."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self.app, self.seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self.seconds
        whole = answered = late = False

        async def receive_in_time() -> Message:
            nonlocal whole, late
            if late:
                return {"type": "http.disconnect"}
            if whole or answered:  # the wait for a caller who leaves may take as long as it likes
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                late = True
                detail = f"the body did not arrive within {self.seconds:g} seconds"
                refusal = problem(HTTPStatus.REQUEST_TIMEOUT, detail, headers={"Connection": "close"})
                await refusal(scope, receive, send)
                return {"type": "http.disconnect"}  # to the application the caller has gone
            whole = not message.get("more_body", False)
            return message

        async def send_unless_late(message: Message) -> None:
            nonlocal answered
            if not late:
                answered = True
                await send(message)

        await self.app(scope, receive_in_time, send_unless_late)
