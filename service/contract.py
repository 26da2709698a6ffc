"""The API's committed document.

python -m service.contract           write openapi.json
python -m service.contract --check   exit 1 where it differs from the code, or CHANGELOG.md lacks the version
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

from service.app import openapi_document

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "openapi.json"


def rendered() -> str:
    return json.dumps(openapi_document(), indent=2, ensure_ascii=False) + "\n"


def complaints() -> list[str]:
    found = []
    if not DOCUMENT.exists() or DOCUMENT.read_text(encoding="utf-8") != rendered():
        found.append("openapi.json is not what the code says; run make openapi")
    if f"## [{version('refund-router')}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        found.append(f"CHANGELOG.md has no section for version {version('refund-router')}")
    return found


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        for line in complaints():
            sys.stderr.write(line + "\n")
        return 1 if complaints() else 0
    DOCUMENT.write_text(rendered(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
