"""What an operator meets first: the first key, and Prometheus at /metrics, with the settings that are shipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from fastapi.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.upgrade import upgrade
from tests.deploy.servers import ROOT

KUBERNETES = ROOT / "deploy" / "kubernetes"
POD_ADDRESS = ("10.1.2.3", 40_000)  # Prometheus' own, as the service sees it: not loopback


def read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def shipped_environment(platform: str) -> dict[str, str]:
    if platform == "compose":
        environment: dict[str, str] = read(ROOT / "docker-compose.yml")["services"]["service"]["environment"]
        return environment
    container = read(KUBERNETES / "base" / "deployment.yaml")["spec"]["template"]["spec"]["containers"][0]
    return {entry["name"]: entry["value"] for entry in container["env"] if "value" in entry}


@pytest.mark.parametrize(("platform", "metrics"), [("compose", 200), ("kubernetes", 200), ("defaults", 401)])
def test_prometheus_reads_the_metrics_without_a_key_where_it_is_shipped_so_and_nothing_else(
    platform: str, metrics: int, tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (shipped_environment(platform) if platform != "defaults" else {}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("REFUND_ROUTER_CHECK_AT_START", "off")
    url = f"sqlite:///{tmp_path}/router.db"
    upgrade(url)
    settings = Settings(database_url=url, model_folder=tiny_folder)
    with TestClient(create_app(settings), client=POD_ADDRESS) as client:
        assert client.get("/metrics").status_code == metrics
        assert client.get("/v1/emails").status_code == 401
        assert client.post("/v1/emails", json={"text": "refund"}).status_code == 401


def test_the_first_keys_pod_fits_its_schema_and_reaches_the_database() -> None:
    pod = read(KUBERNETES / "first-key.yaml")
    kubernetes_validate.validate(pod, "1.33", strict=True)
    network = read(KUBERNETES / "base" / "network.yaml")
    assert network["spec"]["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    migrate = read(KUBERNETES / "base" / "migrate.yaml")["spec"]["template"]["spec"]["containers"][0]
    assert pod["spec"]["containers"][0]["env"] == migrate["env"]
