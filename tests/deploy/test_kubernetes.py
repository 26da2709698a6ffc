"""The Kubernetes manifests against the API's own schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

FOLDER = Path(__file__).parent.parent.parent / "deploy" / "kubernetes"
BASE: list[str] = yaml.safe_load((FOLDER / "base" / "kustomization.yaml").read_text())["resources"]
VERSION = "1.33"
OWN_KINDS = {"ServiceMonitor"}  # the Prometheus operator's, for which the API has no schema


def read(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / "base" / name).read_text(encoding="utf-8"))
    return loaded


def test_the_base_names_every_manifest() -> None:
    assert sorted(BASE) == sorted(p.name for p in (FOLDER / "base").iterdir() if p.name != "kustomization.yaml")


@pytest.mark.parametrize("name", BASE)
def test_a_manifest_fits_its_schema(name: str) -> None:
    manifest = read(name)
    if manifest["kind"] not in OWN_KINDS:
        kubernetes_validate.validate(manifest, VERSION, strict=True)


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


@pytest.mark.parametrize("overlay", ["staging", "production"])
def test_an_overlays_patches_hit_fields_that_the_base_has(overlay: str) -> None:
    kustomization = yaml.safe_load((FOLDER / "overlays" / overlay / "kustomization.yaml").read_text())
    assert kustomization["resources"] == ["../../base"]
    by_kind = {read(name)["kind"]: read(name) for name in BASE}
    for entry in kustomization["patches"]:
        for operation in yaml.safe_load(entry["patch"]):
            place: Any = by_kind[entry["target"]["kind"]]
            for part in operation["path"].strip("/").split("/"):
                place = place[part]
            assert type(place) is type(operation["value"])
