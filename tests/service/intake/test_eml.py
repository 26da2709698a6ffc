"""Whole mails as they come, in eml/<kind>/<name>.eml.

Beside each stands <name>.txt, the text that must be read, written by what the customer wrote, and where more is asked
of it <name>.yaml: `source`, `automatic`, `context`, `kinds` (of the cut parts), `attachments` (their names), `sender`;
`limit` where the mail must be refused; `weakness` where it is known to be read otherwise, and why.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from service.intake.compose import compose_mail
from service.intake.errors import LimitError
from service.intake.mime import parse_mail

FOLDER = Path(__file__).with_name("eml")
PATHS = sorted(FOLDER.glob("*/*.eml"))
LANGUAGES = ["en", "es", "fr", "de", "pt", "it", "nl", "pl", "sv", "da", "fi", "ru", "zh", "ja"]


def asked(path: Path) -> dict[str, Any]:
    """What stands beside a mail."""
    extra = path.with_suffix(".yaml")
    text = path.with_suffix(".txt").read_text("utf-8").removesuffix("\n")
    return {"text": text, "source": "plain", "automatic": False} | (
        yaml.safe_load(extra.read_text("utf-8")) if extra.exists() else {}
    )


def read(raw: bytes) -> dict[str, Any]:
    """What is made of a mail, by the names of the files beside it."""
    try:
        mail = parse_mail(raw)
        intake = compose_mail(mail)
    except LimitError as error:
        return {"text": "", "source": None, "automatic": False, "limit": error.limit}
    return {
        "text": intake.text,
        "source": intake.source,
        "automatic": intake.automatic,
        "context": intake.context,
        "kinds": sorted({part.kind for part in intake.cut}),
        "attachments": [entry.filename for entry in mail.attachments],
        "sender": mail.sender,
    }


WEAK = [path for path in PATHS if "weakness" in asked(path)]


def is_right(path: Path) -> bool:
    wanted = asked(path)
    found = read(path.read_bytes())
    return all(found.get(name) == value for name, value in wanted.items() if name != "weakness")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_mail_is_read_as_stands_beside_it(path: Path, request: pytest.FixtureRequest) -> None:
    wanted = asked(path)
    if reason := wanted.pop("weakness", None):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))

    found = read(path.read_bytes())

    assert {name: found.get(name) for name in wanted} == wanted


def test_there_are_enough_mails_of_each_language_and_each_has_its_text() -> None:
    kinds = {path.parent.name for path in PATHS}
    assert len(PATHS) >= 150
    assert {f"reply_{language}" for language in LANGUAGES} <= kinds
    assert {path.stem for path in FOLDER.glob("*/*.txt")} == {path.stem for path in PATHS}
