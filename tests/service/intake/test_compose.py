"""What is read of a mail that has a text and an HTML, or a mail inside."""

from __future__ import annotations

import base64

import pytest

from service.intake.compose import Intake, compose, compose_mail
from service.intake.mime import parse_mail
from tests.service.intake.builder import html, mail, multi, part

FEE = "Refund the fee, please, and leave the cake as it is."


def read(*entities: bytes, kind: str = "alternative") -> Intake:
    return compose_mail(parse_mail(mail(multi(kind, *entities), subject="")))


@pytest.mark.parametrize(
    "stand_in",
    [
        "This message requires an HTML viewer.",
        "Your email client does not support HTML messages.",
        "Diese Nachricht ist im HTML-Format. Bitte im Browser ansehen.",
        "Ce message est au format HTML.",
        "请使用浏览器查看此邮件。",
    ],
)
def test_a_text_that_only_points_to_the_html_is_not_read(stand_in: str) -> None:
    found = read(part(stand_in), html(f"<p>{FEE}</p>"))
    assert (found.text, found.source) == (FEE, "html")
    assert compose(subject=None, text=stand_in, html=f"<p>{FEE}</p>").text == FEE


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        (
            "Your HTML mail is broken, refund it.",
            "<p>Your HTML mail is <b>broken</b>, refund it.</p>",
        ),  # the same words
        ("My browser shows a double charge.", ""),  # nothing else to read
        ("My browser shows a double charge.", "<img src=x>"),
        ("Refund the cake.", "<p>Something else altogether stands here.</p>"),  # speaks of no HTML
    ],
)
def test_a_customers_text_is_read_whatever_it_speaks_of(text: str, markup: str) -> None:
    found = read(part(text), html(markup))
    assert (found.text, found.source) == (text, "plain")


def test_a_forwarded_mail_in_base64_is_read_below_its_note() -> None:
    inner = base64.encodebytes(mail(part(FEE)))
    found = read(part("See below."), part(inner, "message/rfc822", encoding="Base64"), kind="mixed")
    assert found.text == f"See below.\n\n{FEE}"
    assert [(entry.filename, entry.content_type) for entry in found.attachments or ()] == [
        ("Order 5513", "message/rfc822")
    ]


@pytest.mark.parametrize(
    "note",
    [
        "Vedi il reclamo allegato.",
        "Segue o e-mail anexado.",
        "Se bifogat mejl, tack.",
        "Se vedhæftede mail.",
        "Ks. liitteenä oleva viesti.",
        "Прошу разобраться, письмо во вложении.",
        "请看附件中的邮件。",
        "添付のメールをご確認ください。",
    ],
)
def test_a_mail_attached_below_a_note_that_names_it_is_read(note: str) -> None:
    found = read(part(note), part(mail(part(FEE)), "message/rfc822"), kind="mixed")
    assert found.text == f"{note}\n\n{FEE}"


def test_answers_that_a_line_announces_leave_their_questions_to_the_shop() -> None:
    found = compose(subject="Re: order", text="My answers below:\n\n> Tell us which one.\n\nThe jug.", html=None)
    assert found.text == "Subject: Re: order\n\nMy answers below:\n\nThe jug."


def test_an_empty_answer_is_empty_though_its_html_marks_no_quote() -> None:
    text = "On Mon, 6 May 2024 at 10:00, Shop <help@s.example> wrote:\n> Which one shall we take back?"
    markup = "<p>Mon 6 May, Shop:</p><p>Which one shall we take back?</p>"
    assert read(part(text), html(markup)).text == ""
    assert read(part(text), html("<p>The jug.</p>" + markup)).text.startswith("The jug.")


def test_a_from_that_a_mailbox_marked_is_no_quote_in_a_text_of_json_either() -> None:
    quoted = "On Mon, 6 May 2024 at 10:00, Shop <help@s.example> wrote:\n\n>Hi,\n>From us you get nothing."
    found = compose(subject="Re: order", text=f">From the start I asked for the fee alone.\n\n{quoted}", html=None)
    assert found.text == "Subject: Re: order\n\nFrom the start I asked for the fee alone."
