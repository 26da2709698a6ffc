"""training → model ← service: who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FORBIDDEN = {
    "model": {"service", "training", "fastapi", "sqlalchemy"},
    "service": {"training", "torch"},
    "training": {"service", "fastapi", "sqlalchemy"},
}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", sorted(FORBIDDEN))
def test_a_package_imports_only_what_it_may(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        assert not imported(path) & FORBIDDEN[package], path


def test_the_service_and_its_command_line_load_without_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; import service.app, service.cli; print(sorted(sys.modules)[:1])"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_importing_the_service_makes_no_file(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", "import service.app"], check=True, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
