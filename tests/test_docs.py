"""The README's tables are what the code says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from fastapi.testclient import TestClient

from model.checks.cases import Case
from model.checks.schema import read_suite
from model.classifier import Classifier
from model.config import LABELS
from service import contract, metrics
from service.app import create_app
from service.metrics import collector
from service.routers.labels import DESCRIPTIONS
from service.settings import ENV_PREFIX, Settings
from service.upgrade import upgrade

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def client(tmp_path: Path, tiny_classifier: Classifier) -> Iterator[TestClient]:
    url = f"sqlite:///{tmp_path}/router.db"
    upgrade(url)
    with TestClient(create_app(Settings(database_url=url, require_keys=False), tiny_classifier)) as client:
        yield client


def section(title: str) -> str:
    return README.split(f"## {title}\n")[1].split("\n## ")[0]


def test_every_setting_is_documented_with_its_default_and_words() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", section("Settings"), re.MULTILINE)
    expected = []
    for name, field in Settings.model_fields.items():
        default = "the released model" if name == "model_folder" else f"`{field.default}`"
        expected.append((ENV_PREFIX + name.upper(), default, field.description))
    assert rows == expected


def test_every_route_is_documented() -> None:
    documented = set(re.findall(r"^\| `(GET|POST|DELETE|PUT|PATCH) (\S+)`", section("Use"), re.MULTILINE))
    document = create_app(Settings()).openapi()
    assert documented == {(verb.upper(), path) for path, verbs in document["paths"].items() for verb in verbs}


def test_every_metric_is_documented_in_the_readme_and_in_its_module(client: TestClient) -> None:
    text = client.get("/metrics").text
    families = set(re.findall(rf"^# TYPE ({metrics.NAMESPACE}_\w+?) ", text, re.MULTILINE))
    documented = re.findall(r"^\| `(\w+)` \| (.+) \|$", section("Metrics"), re.MULTILINE)
    in_modules = [
        entry
        for module in (metrics, collector)
        for entry in re.findall(r"^(refund_router_\w+) +(.+)$", module.__doc__ or "", re.MULTILINE)
    ]
    assert documented == in_modules
    assert {name for name, _ in documented} == families


def test_every_label_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section("Labels"), re.MULTILINE)
    assert rows == list(DESCRIPTIONS.items())
    assert tuple(DESCRIPTIONS) == LABELS


def test_the_committed_contract_and_the_changelog_are_true() -> None:
    assert contract.complaints() == []


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"run", "test", "check"} <= named <= targets


def test_the_suite_of_the_readme_is_one_and_shows_every_kind(tmp_path: Path) -> None:
    block = section("Suites").split("    # yaml-language-server")[1].split("\n\n")[0]
    path = tmp_path / "readme.yaml"
    path.write_text("\n".join(line[4:] for line in ("    #" + block).splitlines()), encoding="utf-8")
    kinds = {get_args(case.model_fields["kind"].annotation)[0] for case in get_args(Case)}
    assert {case.kind for case in read_suite(path).cases} == kinds


def test_every_fault_names_a_test_and_every_test_of_faults_is_named() -> None:
    told = (ROOT / "docs/faults.md").read_text(encoding="utf-8")
    faults = re.findall(r"^\| (\d+) \|", told, re.MULTILINE)
    named = re.findall(r"^(\d+)\. `(\w+\.py)::(\w+)`$", told, re.MULTILINE)
    assert faults == [number for number, _, _ in named] == [str(n + 1) for n in range(len(faults))]
    there = {
        (path.name, name)
        for path in (ROOT / "tests/service/faults").glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {(file, name) for _, file, name in named} == there
