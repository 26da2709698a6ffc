"""Whatever bytes come, a mail is read or refused and every promise of tests/fuzz/promises.py holds.

The long run with coverage is `python -m tests.fuzz.intake`; what it found stands in found/."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.intake.html import html_to_text
from service.intake.mime import parse_mail
from tests.fuzz.promises import keep
from tests.service.intake.builder import html, mail, multi, part
from tests.service.intake.test_mime import CASES

QUICK = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
RAWS = [case.raw for case in CASES if len(case.raw) < 5_000]
PIECES = st.sampled_from(
    b'\n|\r\n|\r|\0|--b1|--b1--\n|=|=?utf-8?Q?|?=|"|\\|;|<|>|(|\xff|\xc3|Date: |+99999|Received: ;|text/html|<!--'
    b"|Content-Type: multipart/mixed; boundary=b1\n\n|\nContent-Type: message/rfc822\n\n|charset*0*=|charset=|&#0;"
    b"|<style>|boundary*=\0'y'%ff|Content-Transfer-Encoding: \xff\n"
    b"|Content-Transfer-Encoding: base64\n|boundary*=x'y'%ff|; name*99999999999=|<table><tr><td>|&#xD800;".split(b"|")
)


@QUICK
@given(st.binary(max_size=2_000))
def test_random_bytes_are_read_or_refused(raw: bytes) -> None:
    keep(raw)


@QUICK
@given(st.lists(st.one_of(PIECES, st.binary(max_size=5)), max_size=40))
def test_mails_of_odd_pieces_are_read_or_refused(pieces: list[bytes]) -> None:
    keep(b"".join(pieces))


@QUICK
@given(st.sampled_from(RAWS), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), PIECES), min_size=1, max_size=6))
def test_damaged_fixtures_are_read_or_refused(raw: bytes, edits: list[tuple[float, int, bytes]]) -> None:
    for where, removed, inserted in edits:
        at = int(where * len(raw))
        raw = raw[:at] + inserted + raw[at + removed :]

    keep(raw)


@QUICK
@given(st.sampled_from(RAWS), st.floats(0, 1))
def test_fixtures_cut_short_are_read_or_refused(raw: bytes, where: float) -> None:
    keep(raw[: int(where * len(raw))])


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=("C", "Z", "M", "Lm", "Sk")))
LINES = st.lists(WORDS.filter(str.isalnum).filter(lambda word: not word.startswith("From")), min_size=1, max_size=12)
CONTAINERS = st.sampled_from(["mixed", "alternative", "related", "signed", "x-unknown"])


@QUICK
@given(LINES, st.sampled_from([None, "base64", "qp"]), st.lists(CONTAINERS, max_size=4))
def test_words_come_back_out_of_any_containers(lines: list[str], encoding: str | None, kinds: list[str]) -> None:
    text = "\n".join(lines)
    entity = part(text, encoding=encoding)
    for level, kind in enumerate(kinds):
        entity = multi(kind, entity, part(b"x", "image/png"), boundary=f"level{level}")

    assert parse_mail(mail(entity)).text == text


@QUICK
@given(LINES, st.sampled_from(["div", "p", "li", "td", "blockquote", "span"]))
def test_words_come_back_out_of_any_element(lines: list[str], tag: str) -> None:
    markup = "".join(f"<{tag}>{line}</{tag}> " for line in lines)

    found = html_to_text(parse_mail(mail(html(f"<body>{markup}</body>"))).html or "")

    assert [word for word in found.split() if word not in ("-", ">")] == lines


@pytest.mark.parametrize("size", [1, 3, 17])
def test_every_byte_of_a_mail_may_be_missing(size: int) -> None:
    raw = mail(multi("mixed", multi("alternative", part("Refund it."), html("<p>Refund it."), boundary="b2")))

    for at in range(0, len(raw), size):
        keep(raw[:at] + raw[at + size :])
