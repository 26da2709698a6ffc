from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service.intake.html import html_to_text
from service.intake.mime import ParsedMail, parse_mail
from tests.service.intake import (
    cases_automatic,
    cases_charsets,
    cases_headers,
    cases_html,
    cases_sealed,
    cases_stranger,
    cases_structure,
)
from tests.service.intake.builder import Case

FIXTURES = Path(__file__).with_name("fixtures")
MODULES = (cases_charsets, cases_headers, cases_structure, cases_sealed, cases_html, cases_automatic, cases_stranger)
CASES = [case for module in MODULES for case in module.CASES]


def words(parsed: ParsedMail) -> str:
    return parsed.text if parsed.text is not None else html_to_text(parsed.html or "")


def found(parsed: ParsedMail, name: str, wanted: Any) -> Any:
    if name == "words":
        return words(parsed)
    if name == "words_contain":
        return wanted if wanted in words(parsed) else words(parsed)
    if name == "attached":
        return [(entry.filename, entry.content_type) for entry in parsed.attachments]
    if name == "note":
        return wanted if any(note.startswith(wanted) for note in parsed.notes) else parsed.notes
    return getattr(parsed, name)


@pytest.mark.parametrize("fixture", CASES, ids=lambda fixture: fixture.name)
def test_mail_is_read_as_its_writer_meant_it(fixture: Case) -> None:
    parsed = parse_mail(fixture.raw)

    assert {name: found(parsed, name, value) for name, value in fixture.expected.items()} == fixture.expected


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.eml")), ids=lambda path: path.stem)
def test_mail_of_a_file_is_read_as_written_beside_it(path: Path) -> None:
    """The file beside it has the subject, the sender, an empty line and the words."""
    head, _, wanted = path.with_suffix(".txt").read_text(encoding="utf-8").partition("\n\n")

    parsed = parse_mail(path.read_bytes())

    assert [parsed.subject, parsed.sender] == head.split("\n")
    assert words(parsed) == wanted.removesuffix("\n")


def test_fixtures_have_a_name_each() -> None:
    assert len({fixture.name for fixture in CASES}) == len(CASES)
