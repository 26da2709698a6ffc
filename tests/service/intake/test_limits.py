from __future__ import annotations

from contextlib import suppress
from time import thread_time

import pytest

from service.intake.compose import compose_mail
from service.intake.deadline import within
from service.intake.errors import IntakeError, LimitError, Limits
from service.intake.html import CROWDED_TAG, UNENDED_TAGS, _without_crowds, html_to_text
from service.intake.mime import parse_mail
from tests.service.intake.builder import html, mail, multi, part

SMALL = Limits(mail_bytes=2_000, parts=6, nesting=4, html_bytes=100, lines=60)
TEXT = part("Refund the fee.")


def nested(depth: int) -> bytes:
    entity = TEXT
    for level in range(depth):
        entity = multi("mixed", entity, boundary=f"b{level}")
    return mail(entity)


def forwarded(depth: int) -> bytes:
    entity = TEXT
    for _ in range(depth):
        entity = b"Content-Type: message/rfc822\n\n" + entity
    return entity


REFUSED = {
    "mail_bytes": mail(part("x" * 2_000)),
    "parts": mail(multi("mixed", *[TEXT] * 6)),
    "nesting": nested(5),
    "html_bytes": mail(html("<p>" + "x" * 100)),
    "lines": mail(part("\n" * 60)),
}


@pytest.mark.parametrize(("limit", "raw"), REFUSED.items())
def test_mail_over_a_limit_is_refused_with_the_limits_name(limit: str, raw: bytes) -> None:
    with pytest.raises(IntakeError, match=limit) as refusal:
        parse_mail(raw, SMALL)

    assert refusal.value.limit == limit


@pytest.mark.parametrize("raw", [mail(multi("mixed", *[TEXT] * 5)), nested(4), mail(html("x" * 100))])
def test_mail_at_a_limit_is_read(raw: bytes) -> None:
    parse_mail(raw, SMALL)


@pytest.mark.parametrize("encoding", ["base64", "qp"])
def test_html_is_measured_decoded(encoding: str) -> None:
    with pytest.raises(LimitError, match="html_bytes"):
        parse_mail(mail(html("<p>" + "x" * 98, encoding=encoding)), SMALL)


def test_html_of_several_parts_counts_together() -> None:
    with pytest.raises(LimitError, match="html_bytes"):
        parse_mail(mail(multi("mixed", *[html("<p>" + "x" * 60)] * 2)), SMALL)


def test_nested_mails_are_refused_before_the_stack_ends() -> None:
    with pytest.raises(LimitError, match="nesting"):
        parse_mail(forwarded(5_000))


def test_part_inside_a_guessed_boundary_counts() -> None:
    raw = mail(multi("mixed", *[TEXT] * 6).replace(b'"b1"', b'"other"'))

    with pytest.raises(LimitError, match="parts"):
        parse_mail(raw, SMALL)


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 50_000 + "Fee",
        '<div a="<">' * 50_000 + "Fee",
        "<p " + " ".join(f"a{n}" for n in range(50_000)) + ">Fee",
        "<select>" + "<option>x" * 20_000 + "</select>Fee",
        "".join(f"<body a{n}>" for n in range(50_000)) + "Fee",
        "<b>" * 50_000 + "Fee",
        "<table><tr><td>" * 20_000 + "Fee",
        "<blockquote>" * 20_000 + "Fee",
        "<ul><li>" * 20_000 + "Fee",
        "".join(f"<font color={n}><p>" for n in range(5_000)) + "Fee",
        "<a href=x>" * 50_000 + "Fee",
        "<" * 200_000 + " Fee",
        "<!--" * 50_000 + "--> Fee",
    ],
    ids=lambda markup: repr(markup[:12]),
)
def test_deep_markup_is_read(markup: str) -> None:
    assert "Fee" in html_to_text(markup)


def test_a_million_nodes_are_read_as_far_as_the_model_reads() -> None:
    text = html_to_text("<table><tr><td>Refund the fee<td>" + "<p>cake " * 600_000 + "</table>Bye")
    assert text.startswith("Refund the fee")
    assert 38_000 < text.count("cake") < 42_000


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: " + b"=?utf-8?Q?" * 100_000 + b"\n\nx",
        b"Content-Type: text/plain" + b";a" * 500_000 + b"\n\nx",
        b'Content-Type: text/plain; a*0*="' * 50_000 + b"\n\nx",
        b"From: " + b"(" * 500_000 + b"\n\nx",
        b"From: " + b'"\\' * 500_000 + b"\n\nx",
        b"To: " + b"a@x.example, " * 100_000 + b"\n\nx",
        b"References: " + b"<" * 500_000 + b"\n\nx",
        b"X: y\n" * 200_000 + b"\nx",
        mail(multi("mixed", *[b"Content-Type: text/plain" + b";a" * 50_000 + b"\n\nx"] * 150)),
        mail(part(b"=" * 1_000_000, encoding="quoted-printable")),
        mail(part(b"= " * 500_000, encoding="quoted-printable")),
        mail(part(b"=" * 1_000_000, encoding="x-uuencode")),
        mail(part(b"YQ==" * 300_000)).replace(b"\n\n", b"\nContent-Transfer-Encoding: base64\n\n", 1),
        mail(part("> " * 300_000 + "\n", "text/plain; format=flowed")),
        mail(part(b"--x\n" * 200_000, "multipart/mixed")),
        mail(part("a \n" * 200_000, "text/plain; format=flowed")),
    ],
    ids=range(16),
)
def test_long_input_ends(raw: bytes) -> None:
    with suppress(LimitError):
        parse_mail(raw)


def test_a_mail_that_takes_too_long_is_refused_wherever_its_time_ends() -> None:
    raws = [
        mail(html("<p>cake " * 100_000)),
        mail(multi("mixed", *[TEXT] * 150)),
        mail(part("On Monday I wrote:\n> cake\nfee\n" * 5_000)),
    ]
    for raw in raws:
        with pytest.raises(LimitError, match="seconds") as refusal, within(0.001):
            compose_mail(parse_mail(raw))
        assert refusal.value.limit == "seconds"
        assert compose_mail(parse_mail(raw)).text


def test_no_mail_within_the_other_limits_needs_more_than_its_time() -> None:
    markup = "<table><tr><td class=a>Refund the fee<td>" + "<p>cake " * 600_000 + "</table>"
    with within():
        assert compose_mail(parse_mail(mail(html(markup)))).text


@pytest.mark.parametrize("text", ["On a a a\n" * 990_000, "On a a a " * 1_100_000, "> " * 400_000, "> \n" * 400_000])
def test_a_body_of_megabytes_is_read_in_its_time(text: str) -> None:
    with within():
        assert compose_mail(parse_mail(mail(part(text)))).text


@pytest.mark.parametrize("markup", ["a<" * 200_000, "<a/b=" * 100_000, "<a<b" * 100_000 + ">"])
def test_tags_without_an_end_are_refused_in_their_time(markup: str) -> None:
    started = thread_time()
    with pytest.raises(LimitError, match="seconds"), within(0.2):
        html_to_text(markup)
    assert thread_time() - started < Limits.seconds


def test_tags_without_an_end_are_read_tag_by_tag_with_the_same_outcome() -> None:
    crowd = "<p " + "x=1 " * 120 + ">the cup"
    markup = f'{crowd}{"a<b " * 150}<i title="{"<u>" * 5}{crowd}">{crowd}'
    assert UNENDED_TAGS.search(markup)
    assert _without_crowds(markup) == CROWDED_TAG.sub(r"<\1 ", markup) != markup
