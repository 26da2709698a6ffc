"""The disk of the SQLite file fills up under a running service, and is given room again."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.service.faults.process import ServiceProcess, get, post, running, until_status
from tests.service.faults.stored import mails_in

LONG = "please refund the delivery fee, not the cake " * 60


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of sixteen megabytes: the log of SQLite alone takes four."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk takes root; the file-size limit is tested beside this")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def survives(service: ServiceProcess, url: str, fill: Callable[[], None], give_room: Callable[[], None]) -> None:
    assert post(service.port, message_id="<before@x>", text="refund")[0] == 201
    fill()
    statuses = {n: post(service.port, message_id=f"<{n}@x>", text=f"{n} {LONG}")[0] for n in range(40)}
    assert set(statuses.values()) <= {201, 503}
    assert 503 in statuses.values()
    assert get(service.port, "/v1/emails?limit=1")[0] == 200  # what is stored can be read
    assert set(mails_in(url)) == {"<before@x>"} | {f"<{n}@x>" for n, status in statuses.items() if status == 201}
    give_room()
    until_status(200, lambda: get(service.port, "/readyz"))
    again = {n: post(service.port, message_id=f"<{n}@x>", text=f"{n} {LONG}")[0] for n in range(40)}
    assert again == {n: 200 if status == 201 else 201 for n, status in statuses.items()}
    assert len(mails_in(url)) == 41


def test_a_full_disk_refuses_mail_keeps_nothing_by_halves_and_takes_mail_again(
    small_disk: Path, tiny_folder: Path
) -> None:
    url, ballast = f"sqlite:///{small_disk}/router.db", small_disk / "ballast"

    def fill() -> None:
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"0" * 4_096)

    with running(url, tiny_folder) as service:
        survives(service, url, fill, ballast.unlink)


def test_a_database_file_that_may_not_grow_refuses_mail_and_goes_on_when_it_may(
    tmp_path: Path, tiny_folder: Path
) -> None:
    url, log = f"sqlite:///{tmp_path}/router.db", tmp_path / "router.db-wal"
    unlimited = resource.RLIM_INFINITY
    with running(url, tiny_folder) as service:
        survives(
            service,
            url,
            lambda: set_file_size(service.pid, log.stat().st_size + 20_000),
            lambda: set_file_size(service.pid, unlimited),
        )


def set_file_size(pid: int, limit: int) -> None:
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard))
