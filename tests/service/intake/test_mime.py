from __future__ import annotations

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
from tests.service.intake.builder import Case, mail, multi, part

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


def test_what_is_attached_has_its_size_with_the_fields_of_its_head() -> None:
    report = b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\nStatus: 5.1.1\n"
    inner = mail(part("Refund the fee."))
    parsed = parse_mail(mail(multi("report", part("It failed."), report, b"Content-Type: message/rfc822\n\n" + inner)))

    assert [entry.size_bytes for entry in parsed.attachments] == [len(report.partition(b"\n\n")[2]) + 1, len(inner)]


def test_fixtures_have_a_name_each() -> None:
    assert len({fixture.name for fixture in CASES}) == len(CASES)
