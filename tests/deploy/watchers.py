"""The real Prometheus and Alertmanager on the shipped configuration, where that has minutes with seconds."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.deploy.servers import ROOT, answers, free_port, running, wait_until

PROMETHEUS = shutil.which("prometheus")
ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")  # Debian's name, and its own


def without_patience(text: str) -> str:
    """Rules or routes that wait a second for company, or to be sure."""
    return re.sub(r"\b(for|group_wait|group_interval): \d+[smh]\b", r"\1: 1s", text)


@contextmanager
def prometheus(folder: Path, target: str, alertmanager_port: int | None = None) -> Iterator[str]:
    """It asks the target in place of the service, each second, under the shipped rules; its address."""
    port, shipped = free_port(), ROOT / "deploy" / "prometheus"
    config = yaml.safe_load((shipped / "prometheus.yml").read_text(encoding="utf-8"))
    config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    for name in config["rule_files"]:
        (folder / name).write_text(without_patience((shipped / name).read_text(encoding="utf-8")), encoding="utf-8")
    watchers = [f"127.0.0.1:{alertmanager_port}"] if alertmanager_port is not None else []
    config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = watchers
    config["scrape_configs"] = [config["scrape_configs"][0]]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [
        str(PROMETHEUS),
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/prometheus",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with running(command, folder / "prometheus.log"):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/-/ready"), "Prometheus does not start")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def alertmanager(folder: Path, chat: str) -> Iterator[int]:
    """It tells this address in place of the chat's; its port on loopback."""
    port, secret = free_port(), folder / "alert_webhook_url"
    secret.write_text(chat, encoding="utf-8")
    text = (ROOT / "deploy" / "alertmanager.yml").read_text(encoding="utf-8")
    config = folder / "alertmanager.yml"
    config.write_text(without_patience(text).replace("/run/secrets/alert_webhook_url", str(secret)), encoding="utf-8")
    command = [
        str(ALERTMANAGER),
        f"--config.file={config}",
        f"--storage.path={folder}/alertmanager",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",  # one alone
    ]
    with running(command, folder / "alertmanager.log"):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/-/ready"), "Alertmanager does not start")
        yield port
