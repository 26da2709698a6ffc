"""The plugin in a pytest of its own, found by the entry point that pyproject.toml declares."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent.parent
SUITE = """\
name: ours
description: d
capability: contrast
cases:
  - {id: orders, kind: structural, text: "refund the fee not the cake please", group: order}
  - id: story
    kind: swap
    trade: bakery
    a: {text: "Refund the delivery fee, not the cake.", label: refund_fee}
    b: {text: "Refund the cake, not the delivery fee.", label: refund_item}
    min_order_gap: 1.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a suite, and the package's metadata as an install would leave it."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][
        "pytest11"
    ]
    site = tmp_path / "site" / "refund_router_here-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: refund-router-here\nVersion: 1\n")
    lines = [f"{name} = {target}" for name, target in entries.items()]
    (site / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "suites").mkdir()
    (tmp_path / "project" / "suites" / "ours.yaml").write_text(SUITE)
    return tmp_path / "project"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{folder.parent / 'site'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_cases_are_items_whose_failure_says_text_label_and_what_was_expected(folder: Path, tiny_folder: Path) -> None:
    report = folder / "report.xml"
    arguments = ("--refund-suite", "suites", "--refund-model", str(tiny_folder), f"--junit-xml={report}", "-v")
    result = run(folder, *arguments)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "ours.yaml::orders PASSED" in result.stdout
    assert "swap case story on model tiny+" in result.stdout
    assert "order gap 0.0" in result.stdout
    assert "\n    Refund the cake, not the delivery fee.\n" in result.stdout
    assert "expected refund_item" in result.stdout
    assert "Traceback" not in result.stdout
    cases = {case.get("name"): case for case in ET.parse(report).iter("testcase")}
    assert set(cases) == {"orders", "story"}
    assert [element.tag for element in cases["story"] if element.tag == "failure"] == ["failure"]


def test_k_picks_by_group_trade_and_kind(folder: Path, tiny_folder: Path) -> None:
    for word in ("order", "structural"):
        picked = run(folder, "--refund-suite", "suites", "--refund-model", str(tiny_folder), "-q", "-k", word)
        assert "1 passed, 1 deselected" in picked.stdout, picked.stdout + picked.stderr
    listed = run(folder, "--refund-suite", "suites", "--collect-only", "-q", "-k", "bakery")
    assert "ours.yaml::story" in listed.stdout
    assert "ours.yaml::orders" not in listed.stdout


def test_items_of_a_file_outside_the_root_name_the_file(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    file = folder / "suites" / "ours.yaml"
    listed = run(folder / "elsewhere", f"--refund-suite={file}", "--rootdir=.", "--collect-only", "-q")
    assert "../suites/ours.yaml::orders" in listed.stdout, listed.stdout + listed.stderr


def test_two_workers_share_the_cases(folder: Path, tiny_folder: Path) -> None:
    result = run(folder, "--refund-suite", "suites", "--refund-model", str(tiny_folder), "-q", "-n", "2")
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr


def test_a_file_named_suite_yaml_is_collected_beside_the_tests(folder: Path, tiny_folder: Path) -> None:
    (folder / "suites" / "ours.yaml").rename(folder / "ours.suite.yaml")
    (folder / "test_ours.py").write_text("def test_it() -> None:\n    pass\n")
    result = run(folder, "--refund-model", str(tiny_folder), "-q")
    assert "1 failed, 2 passed" in result.stdout, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--refund-suite", "nowhere.yaml"), "nowhere.yaml"),
        (("--refund-suite", "empty"), "empty: holds no .yaml file"),
        (("--refund-suite", "bad.yaml"), "bad.yaml:3: field 'cases'"),
        (("--refund-suite", "suites", "--refund-model", "nowhere"), "nowhere: is not a folder"),
    ],
)
def test_what_cannot_be_run_is_told_and_nothing_passes(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    (folder / "empty").mkdir()
    (folder / "bad.yaml").write_text("name: bad\ndescription: d\ncases: []\n")
    result = run(folder, "-q", *arguments)
    assert result.returncode not in (0, 1, 5)
    assert words in result.stdout + result.stderr
    assert " passed" not in result.stdout
