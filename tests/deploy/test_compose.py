"""docker-compose.yml and the Dockerfile, by the readers of their own formats. No Docker engine is needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import compose_spec
import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]


def test_the_file_is_one_that_the_compose_specification_allows() -> None:
    flat = yaml.safe_dump(yaml.safe_load(TEXT))  # merge keys laid out, as Compose itself does first
    compose_spec.PyCompose.from_yaml(flat).validate()
    assert set(SERVICES) >= {"migrate", "service", "postgres", "prometheus", "alertmanager", "grafana"}


def compose() -> list[str] | None:
    """Compose, of version 2 or newer: what .ci/run brought, Docker's plugin, or a program of that name."""
    beside = Path(sys.executable).with_name("docker-compose")
    for command in ([str(beside)], ["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]):
            asked = subprocess.run([*command, "version", "--short"], capture_output=True, text=True, check=False)
            if asked.returncode == 0 and not asked.stdout.startswith("1."):
                return command
    return None


def config(text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """What `docker compose config` makes of it."""
    if (command := compose()) is None:
        pytest.skip("there is no docker compose here; .ci/run brings one")
    asked = [*command, "--project-directory", str(ROOT), "-f", "-", "config", *options]
    return subprocess.run(asked, input=text, capture_output=True, text=True, check=False)


def test_compose_itself_reads_it_as_it_is_meant() -> None:
    done = config(TEXT, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    resolved = json.loads(done.stdout)
    assert resolved["services"].keys() == SERVICES.keys()
    service = resolved["services"]["service"]
    assert service["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert service["deploy"]["resources"]["limits"] == {"cpus": 2, "memory": str(2**30)}
    assert service["entrypoint"][2].startswith("REFUND_ROUTER_DATABASE_URL=$$(cat /run/secrets/database_url) exec")
    assert {name: entry["file"] for name, entry in resolved["secrets"].items()} == {
        name: str(ROOT / "deploy" / "secrets" / name)
        for name in ("postgres_password", "database_url", "grafana_password", "alert_webhook_url")
    }


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("read_only: true", "readonly: true", "readonly"),
        ("postgres: {condition: service_healthy}", "postgre: {condition: service_healthy}", "undefined service"),
        ("secrets: [grafana_password]", "secrets: [grafana]", "undefined secret"),
    ],
)
def test_compose_itself_refuses_what_is_wrong(right: str, wrong: str, words: str) -> None:
    assert right in TEXT
    done = config(TEXT.replace(right, wrong), "--quiet")
    assert done.returncode != 0
    assert words in done.stderr


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_container_is_hardened_and_limited(name: str) -> None:
    entry = SERVICES[name]
    assert entry["read_only"] is True
    assert entry["cap_drop"] == ["ALL"]
    assert entry["user"].split(":")[0] not in ("0", "root")
    assert set(entry["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert "healthcheck" in entry or name == "migrate"
    assert entry["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
    for port in entry.get("ports", []):
        assert port.startswith("127.0.0.1:"), port


def test_no_secret_is_in_the_file_or_the_environment_and_mounted_files_exist() -> None:
    for name, entry in SERVICES.items():
        for key, value in entry.get("environment", {}).items():
            assert "PASSWORD" not in key or str(value).startswith("/run/secrets/"), (name, key)
        for volume in entry.get("volumes", []):
            if (source := volume.split(":")[0]).startswith("./"):
                assert (ROOT / source).exists(), volume


def test_the_dockerfile_passes_hadolint() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([hadolint, ROOT / "deploy" / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert os.access(ROOT / "deploy" / "try_image.sh", os.X_OK)
