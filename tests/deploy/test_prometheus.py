"""The shipped rules and alerts, by Prometheus' own tools."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from model.config import LABELS
from service import metrics
from service.metrics import collector

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "deploy" / "prometheus"
TESTS = sorted((FOLDER / "tests").glob("*.yml"))
ALERTS = [
    rule
    for group in yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
RULES = (FOLDER / "recording.yml").read_text(encoding="utf-8") + (FOLDER / "alerts.yml").read_text(encoding="utf-8")


def promtool(*arguments: str) -> None:
    done = subprocess.run(["promtool", *arguments], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def cases(alert: str) -> list[list[Any]]:
    """What each promtool case expects of an alert: the alerts that fire."""
    return [
        case["exp_alerts"]
        for path in TESTS
        for scene in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]
        for case in scene["alert_rule_test"]
        if case["alertname"] == alert
    ]


def test_prometheus_accepts_its_configuration_and_rules() -> None:
    promtool("check", "config", "prometheus.yml")


def test_every_alert_case_holds() -> None:
    promtool("test", "rules", *map(str, TESTS))


def test_alertmanager_accepts_its_configuration() -> None:
    subprocess.run(["amtool", "check-config", ROOT / "deploy" / "alertmanager.yml"], check=True, capture_output=True)


@pytest.mark.parametrize("alert", [rule["alert"] for rule in ALERTS])
def test_an_alert_has_a_case_that_fires_it_and_one_that_does_not(alert: str) -> None:
    assert any(cases(alert))
    assert not all(cases(alert))


def test_each_alert_has_its_section_of_the_runbooks_and_each_section_its_alert() -> None:
    sections = re.findall(r"^## (\w+)$", (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sections == [rule["alert"] for rule in ALERTS]
    for rule in ALERTS:
        assert rule["annotations"]["runbook_url"] == f"docs/runbooks.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_the_rules_name_only_metrics_that_the_service_has() -> None:
    documented = set(re.findall(r"^(refund_router_\w+)", f"{metrics.__doc__}\n{collector.__doc__}", re.MULTILINE))
    named = {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"(?<![:\w])refund_router_\w+", RULES)}
    assert named
    assert named <= documented


def test_confirmations_are_told_apart_for_every_label() -> None:
    assert "|".join(f"{label}={label}" for label in LABELS) in RULES
