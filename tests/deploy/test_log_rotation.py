"""nginx's logs are rotated under load by Debian's own entry, and no line and no request is lost."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.upgrade import upgrade
from tests.deploy.load import Load
from tests.deploy.servers import nginx, services

ENTRY = Path("/etc/logrotate.d/nginx")  # of Debian's nginx
pytestmark = pytest.mark.skipif(
    shutil.which("nginx") is None or shutil.which("logrotate") is None or not ENTRY.exists(),
    reason="Debian's nginx and logrotate are not installed",
)


def entry_for(folder: Path) -> str:
    """Debian's, for the logs of this folder and a nginx that no init system started."""
    text = ENTRY.read_text(encoding="utf-8").replace("/var/log/nginx", str(folder))
    text = re.sub(r"^\s*create .*$", "\tcreate 0640", text, flags=re.MULTILINE)
    return re.sub(r"invoke-rc\.d nginx rotate.*", f"kill -USR1 $(cat {folder}/nginx-refund-router.pid)", text)


def posts(folder: Path) -> list[int]:
    """How many each of the log's two files has."""
    files = folder.glob("refund-router.log*")
    return [path.read_text(encoding="utf-8").count(" POST /v1/emails 201 ") for path in files]


def test_a_rotation_under_load_loses_no_line_and_no_request(tmp_path: Path, tiny_folder: Path) -> None:
    url, config = f"sqlite:///{tmp_path}/router.db", tmp_path / "logrotate.conf"
    upgrade(url)
    config.write_text(entry_for(tmp_path), encoding="utf-8")
    config.chmod(0o644)
    command = ["logrotate", "--force", "--state", str(tmp_path / "logrotate.state"), str(config)]
    with (
        services(tmp_path, url, tiny_folder, 1) as running,
        nginx(tmp_path, [running[0].port]) as proxy,
        Load(proxy) as load,
    ):
        load.wait_for_more(20)
        subprocess.run(command, check=True, capture_output=True)
        load.wait_for_more(20)
    assert load.statuses.keys() == {201}
    before, after = posts(tmp_path)
    assert min(before, after) > 0
    assert before + after == load.answered
