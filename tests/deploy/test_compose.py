"""docker-compose.yml and the Dockerfile, by the readers of their own formats. No Docker engine is needed."""

from __future__ import annotations

import os
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
