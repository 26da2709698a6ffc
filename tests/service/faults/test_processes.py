"""A serving process is killed, told to stop, doubled, or given a clock that goes back."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.load import Load
from tests.service.faults.process import HalfPost, ServiceProcess, get, post, running
from tests.service.faults.stored import lost, mails_in

CLOCKS = [Path(folder) / "faketime/libfaketimeMT.so.1" for folder in Path("/usr/lib").glob("*-linux-gnu")]


def test_after_kill_9_every_mail_that_was_answered_is_in_the_database(database_url: str, tiny_folder: Path) -> None:
    with running(database_url, tiny_folder) as service, Load(service.url, keep_answers=True) as callers:
        callers.wait_for_more(40)
        service.send(signal.SIGKILL)
        service.wait()
    assert callers.statuses.keys() <= {201, 0}
    assert lost(callers.told, database_url) == []


def test_two_servers_on_one_database_store_each_mail_once(database_url: str, tiny_folder: Path) -> None:
    with (
        running(database_url, tiny_folder) as one,
        running(database_url, tiny_folder) as two,
        ThreadPoolExecutor(2) as pool,
    ):
        for number in range(30):
            mail = {"message_id": f"<{number}@x>", "text": f"refund {number}"}
            both = [pool.submit(post, service.port, **mail) for service in (one, two)]
            answers = [future.result() for future in both]
            assert sorted(status for status, _ in answers) == [200, 201]
            assert answers[0][1]["id"] == answers[1][1]["id"]
    assert len(mails_in(database_url)) == 30


def test_sigterm_amid_load_answers_what_was_accepted_and_nothing_gets_a_5xx(
    database_url: str, tiny_folder: Path
) -> None:
    with (
        ExitStack() as stack,
        running(database_url, tiny_folder) as service,
        Load(service.url, keep_answers=True) as callers,
    ):
        callers.wait_for_more(20)
        halves = [HalfPost(service.port, message_id=f"<half.{n}@x>", text="refund") for n in range(4)]
        accepted = [stack.enter_context(half) for half in halves]
        callers.wait_for_more(4)  # mails that came after them were answered, so these were accepted
        service.send(signal.SIGTERM)
        turns = count()
        while post(service.port, message_id=f"<until.{next(turns)}@x>", text="refund")[0] != 0:
            pass  # until it listens no more
        for half in accepted:
            half.finish()
        answers = [half.answer() for half in accepted]
        assert service.wait() == -signal.SIGTERM
    assert answers == [(201, True)] * 4
    assert callers.statuses.keys() <= {201, 0}
    assert lost(callers.told, database_url) == []
    assert {f"<half.{n}@x>" for n in range(4)} <= set(mails_in(database_url))


def pages(service: ServiceProcess) -> list[str]:
    """The ids of all mails, by pages of two."""
    found: list[str] = []
    cursor = ""
    while True:
        status, page = get(service.port, f"/v1/emails?limit=2{cursor}")
        assert status == 200
        found += [mail["id"] for mail in page["data"]]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def stored(service: ServiceProcess, *names: str) -> list[str]:
    answers: list[dict[str, Any]] = []
    for name in names:
        status, answer = post(service.port, message_id=f"<{name}@x>", text=f"refund {name}")
        assert status == 201
        answers.append(answer)
    return [answer["id"] for answer in answers]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_clock_that_is_set_back_leaves_ids_unique_in_order_and_pages_whole(
    database_url: str, tiny_folder: Path, tmp_path: Path
) -> None:
    if not (libraries := [path for path in CLOCKS if path.exists()]):
        pytest.skip("libfaketime is not installed (Debian: faketime)")
    clock = tmp_path / "clock"
    clock.write_text("+0")
    faked = {
        "LD_PRELOAD": str(libraries[0]),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    with running(database_url, tiny_folder, **faked) as service:
        before = stored(service, "a", "b", "c")
        clock.write_text("-2h")
        after = stored(service, "d", "e", "f")
        assert before + after == sorted(before + after)  # of one process also in order of arrival
        assert pages(service) == [*reversed(before + after)]
        assert post(service.port, message_id="<a@x>", text="refund a")[0] == 200  # and what is known stays known
    with running(database_url, tiny_folder, **faked) as service:  # a process that never saw the later time
        restarted = stored(service, "g", "h")
        assert pages(service) == sorted(before + after + restarted, reverse=True)
        assert post(service.port, message_id="<f@x>", text="refund f")[0] == 200
