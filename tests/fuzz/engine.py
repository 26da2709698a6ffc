"""The fuzzer's own process: atheris, the instruments, and what is done with a finding. Started by intake.py.

python -m tests.fuzz.engine FINDINGS FOLDER SECONDS
"""

from __future__ import annotations

import hashlib
import sys
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["service.intake", "email", "selectolax"]):
    from tests.fuzz.promises import keep

from tests.fuzz.seeds import MOST_BYTES, TOKENS, mails, spliced

SECONDS_A_MAIL = 2.0  # of processor time, as in the service, although the instruments slow it down


class Findings:
    """Keeps one mail of each kind of failure: what was raised, and where in the service or which promise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: set[str] = set()

    def __call__(self, raw: bytes) -> None:
        try:
            keep(raw, seconds=SECONDS_A_MAIL)
        except Exception as error:  # whatever it is, it is a finding: written down, and the run goes on
            self._write(raw, error)

    def _write(self, raw: bytes, error: Exception) -> None:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/service/intake/" in frame.filename]
        promise = str(error).partition(":")[0] if isinstance(error, AssertionError) else ""
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames and not promise else promise
        kind = f"{type(error).__name__} {where}"
        if kind in self.seen:
            return
        self.seen.add(kind)
        name = hashlib.sha256(kind.encode()).hexdigest()[:12]
        (self.folder / f"{name}.eml").write_bytes(raw)
        (self.folder / f"{name}.txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        print(f"FINDING {kind}: {self.folder / name}.eml", file=sys.stderr, flush=True)  # noqa: T201


def main() -> None:
    findings, folder, seconds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    corpus, words = folder / "corpus", folder / "tokens.dict"
    corpus.mkdir()
    for number, raw in enumerate(mails()):
        (corpus / f"seed{number:04}").write_bytes(raw)
    lines = [line for raw in mails() for line in raw.split(b"\n")]
    words.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in token) + '"\n' for token in TOKENS))

    def mutate(raw: bytes, most: int, seed: int) -> bytes:
        return (spliced(raw, seed, lines) if seed % 2 else atheris.Mutate(raw, most))[:most]

    options = [f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", f"-dict={words}", "-timeout=60", "-seed=1"]
    options += ["-rss_limit_mb=2048", "-print_final_stats=1", str(corpus)]
    atheris.Setup([sys.argv[0], *options], Findings(findings), custom_mutator=mutate)
    atheris.Fuzz()  # ends the process


if __name__ == "__main__":
    main()
