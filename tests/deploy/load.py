"""Callers that post mail after mail, each with a message id of its own, and keep what they were told."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from contextlib import closing
from typing import Any, NamedTuple
from urllib.parse import urlsplit

TEXT = "Hello, please refund the delivery fee and not the cake. It came an hour late. Order {number}."
PAUSE_SECONDS = 0.02  # where there was no answer, or no database


class Load:
    """Threads that post for as long as the `with` lasts; without a rate as fast as they are answered.

    statuses: how many answers had which status; 0 is no answer. seconds: how long each took. told: where they are kept,
    the answers with when their mails were sent.
    """

    def __init__(
        self,
        url: str,
        *,
        threads: int = 4,
        mails_per_second: float | None = None,
        run: str = "a",
        keep_answers: bool = False,
    ) -> None:
        """run: part of the message ids; mails of another run are other mails."""
        self._address, self._run, self._keep_answers = urlsplit(url).netloc, run, keep_answers
        self._pause = threads / mails_per_second if mails_per_second else 0.0
        self.statuses: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.told: list[Told] = []
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._post_mails, args=(number,)) for number in range(threads)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def answered(self) -> int:
        return self.statuses.total()

    def wait_for_more(self, mails: int, seconds: float = 120.0) -> None:
        """Until so many more mails were stored."""
        wanted, until = self.statuses[201] + mails, time.monotonic() + seconds
        while self.statuses[201] < wanted:
            if time.monotonic() > until:
                raise TimeoutError(f"{self.statuses[201]} of {wanted} mails were stored: {dict(self.statuses)}")
            time.sleep(0.01)

    def _post_mails(self, thread: int) -> None:
        with closing(http.client.HTTPConnection(self._address, timeout=60)) as connection:
            due, number = time.monotonic() + self._pause * thread / len(self._threads), 0
            while not self._stop.is_set():
                if self._pause:
                    self._stop.wait(max(0.0, due - time.monotonic()))
                    due += self._pause
                name = f"{self._run}.{thread}.{number}"
                started = time.monotonic()
                mail = {"message_id": f"<{name}@load.example>", "text": TEXT.format(number=name)}
                status, body = _post(connection, mail)
                with self._lock:
                    self.statuses[status] += 1
                    self.seconds.append(time.monotonic() - started)
                    if self._keep_answers and status == 201:
                        self.told.append(Told(started, json.loads(body)))
                if status in (0, 503):
                    self._stop.wait(PAUSE_SECONDS)
                number += 1


class Told(NamedTuple):
    sent: float  # by time.monotonic()
    answer: dict[str, Any]


def _post(connection: http.client.HTTPConnection, mail: dict[str, str]) -> tuple[int, bytes]:
    try:
        connection.request("POST", "/v1/emails", json.dumps(mail), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        connection.close()  # opened anew by the next request
        return 0, b""
