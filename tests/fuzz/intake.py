"""Fuzzes the reading of raw mails: whatever bytes come, they are read or refused, and promises.py holds.

    pip install 'refund-router[fuzz]'     # atheris
    python -m tests.fuzz.intake --minutes 20 --findings findings
    python -m tests.fuzz.intake --replay findings/0123456789ab.eml

It starts from the tests' own mails and threads, and changes them by bytes, by the words of MIME and of mail clients,
and by lines taken out of one another. Each new finding is written to FOLDER as an .eml with its traceback beside it,
and the run goes on. Prints executions, coverage and findings; exit code 1 where there was a finding.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from tests.fuzz.promises import keep

STATUS = re.compile(r"#(\d+)\s.*cov: (\d+) ft: (\d+) corp: (\d+)")
SECONDS_A_LINE = 10.0  # of the engine's thousands of status lines one is shown in this time


def replay(file: Path) -> None:
    parsed = keep(file.read_bytes())
    print(f"{file}: {'refused' if parsed is None else 'read'}, every promise held")  # noqa: T201


def fuzz(minutes: float, findings: Path) -> int:
    """The exit code. The engine is a process of its own, for libFuzzer ends the one that it runs in."""
    findings.mkdir(parents=True, exist_ok=True)
    before = set(findings.glob("*.eml"))
    status, shown = ("0", "0", "0", "0"), 0.0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.fuzz.engine", str(findings), folder, str(max(1, round(minutes * 60)))]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as engine:
            assert engine.stderr is not None
            for line in engine.stderr:
                found = STATUS.match(line)
                status = found.groups() if found else status
                if not found or monotonic() - shown > SECONDS_A_LINE:
                    sys.stderr.write(line)
                    shown = monotonic() if found else shown
    new = set(findings.glob("*.eml")) - before
    print(  # noqa: T201
        f"{int(status[0]):,} executions, {int(status[1]):,} edges covered, {int(status[3]):,} mails in the corpus, "
        f"{len(new)} findings"
    )
    return 1 if new or engine.returncode else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long (20)")
    parser.add_argument("--findings", type=Path, default=Path("findings"), help="where findings are written (findings)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="read one mail again instead, and show what fails")
    chosen = parser.parse_args()
    if chosen.replay and not chosen.replay.is_file():
        parser.error(f"--replay: {chosen.replay}: no such file")
    if not chosen.replay and find_spec("atheris") is None:
        parser.error("needs atheris: pip install 'refund-router[fuzz]'")
    if chosen.replay:
        replay(chosen.replay)
        return 0
    return fuzz(chosen.minutes, chosen.findings)


if __name__ == "__main__":
    sys.exit(main())
