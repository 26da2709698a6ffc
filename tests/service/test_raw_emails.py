from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from service.app import create_app
from service.intake.compose import attached, cut_parts
from service.routers.raw_emails import read_raw
from service.schemas.wire import UNSTORABLE
from service.settings import Settings
from tests.service.intake.builder import html, mail, multi, part
from tests.service.test_emails import assert_problem, rows

FEE = "Refund the delivery fee, not the cake."


def post(client: TestClient, raw: bytes, content_type: str = "message/rfc822") -> Any:
    return client.post("/v1/emails", content=raw, headers={"content-type": content_type})


def test_a_raw_mail_is_read_stored_and_answered_as_a_json_mail_is(client: TestClient, database_url: str) -> None:
    quoted = f"{FEE}\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> Refund the cake?\n"
    response = post(client, mail(part(quoted), Date="Mon, 30 Nov 2026 12:00:00 +0530"))
    assert response.status_code == 201
    answer = response.json()
    assert (answer["message_id"], answer["from"]) == ("<m1@example.org>", "mina@example.org")
    assert (answer["to"], answer["subject"]) == (["help@shop.example"], "Order 5513")
    assert answer["received_at"] == "2026-11-30T06:30:00Z"
    assert answer["text"] == f"Subject: Order 5513\n\n{FEE}"
    assert client.get(f"/v1/emails/{answer['id']}").json() == answer
    again = post(client, mail(part(FEE)), 'Message/RFC822; charset="x"')
    assert (again.status_code, again.json()) == (200, answer)
    assert rows(database_url, "emails") == 1


QUESTION = "Which one, the red cup or the blue cup?"
OUTLOOK = (
    '<div class="WordSection1"><p class="MsoNormal">Only the first</p><div style="border:none;border-top:solid #E1E1E1 '
    '1.0pt"><p class="MsoNormal"><b>From:</b> Shop &lt;help@shop.example&gt;<br><b>Sent:</b> Monday, 30 November 2026 '
    f'10:00<br><b>To:</b> Mina<br><b>Subject:</b> RE: Cups</p></div><p class="MsoNormal">{QUESTION}</p></div>'
)
GMAIL = (
    '<div dir="ltr">Only the first</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, 30 Nov '
    '2026 at 10:00, Shop &lt;<a href="mailto:help@shop.example">help@shop.example</a>&gt; wrote:<br></div><blockquote '
    f'class="gmail_quote">{QUESTION}</blockquote></div>'
)


@pytest.mark.parametrize("markup", [OUTLOOK, GMAIL, GMAIL.replace("Only the first", "")])
def test_an_answer_that_only_points_or_is_empty_carries_the_question_apart(client: TestClient, markup: str) -> None:
    answer = post(client, mail(html(markup))).json()
    assert answer["text"] == "Subject: Order 5513\n\nOnly the first" or "Only" not in markup
    assert QUESTION not in answer["text"]
    assert answer["context"] == QUESTION
    assert client.get(f"/v1/emails/{answer['id']}").json()["context"] == QUESTION


@pytest.mark.parametrize(
    ("raw", "status", "limit"),
    [
        (mail(multi("mixed", *[part("x")] * 201)), 422, "parts"),
        (b"Content-Type: message/rfc822\n\n" * 30 + b"\nx", 422, "nesting"),
        (mail(part("\n" * 1_000_001)), 422, "lines"),
    ],
)
def test_a_mail_over_a_limit_is_refused_with_the_limits_name(
    client: TestClient, database_url: str, raw: bytes, status: int, limit: str
) -> None:
    response = post(client, raw)
    assert_problem(response, status, limit)
    assert response.json()["limit"] == limit
    assert rows(database_url, "emails") == 0


@pytest.mark.parametrize(("field", "limit"), [("html", "html_bytes"), ("text", "text_characters")])
def test_a_json_mail_over_a_limit_is_refused_with_its_name(settings: Settings, field: str, limit: str) -> None:
    roomy = settings.model_copy(update={"max_body_bytes": 30_000_000})
    with TestClient(create_app(roomy), raise_server_exceptions=False) as client:
        response = client.post("/v1/emails", json={field: "x" * 5_000_001})
    assert_problem(response, 422, field)
    assert response.json()["limit"] == limit


@pytest.mark.parametrize("opened", [90_000, 200_000])
def test_words_below_more_elements_than_are_read_are_lost_with_a_mark(client: TestClient, opened: int) -> None:
    markup = "<p>Refund the fee.</p>" + "<i></i>" * opened + "<p>Or the cake.</p>"
    for answer in (post(client, mail(html(markup))).json(), client.post("/v1/emails", json={"html": markup}).json()):
        assert "cake" not in answer["text"]
        assert (answer["truncated"], answer["decision"]) == (True, "review")
        assert "truncated" in answer["reasons"]
    assert not post(client, mail(html("<p>Refund it.</p>" + "<i></i>" * 30_000 + "<p>Bye</p>"))).json()["truncated"]


def test_too_much_html_and_too_large_a_body_are_413(settings: Settings) -> None:
    roomy = settings.model_copy(update={"max_body_bytes": 30_000_000})
    with TestClient(create_app(roomy), raise_server_exceptions=False) as client:
        assert_problem(post(client, mail(html("<p>" + "word " * 1_000_000))), 413, "html_bytes")
        assert_problem(post(client, mail(part("x" * 25_000_000))), 413, "mail_bytes")
        assert_problem(post(client, b"x" * 30_000_001), 413, "limit of 30000000 bytes")


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/mixed; boundary=b", "nonsense"])
def test_another_content_type_is_415(client: TestClient, content_type: str) -> None:
    assert_problem(post(client, b"x", content_type), 415, "message/rfc822")


def test_an_empty_body_is_no_mail(client: TestClient) -> None:
    assert_problem(post(client, b"\r\n"), 422, "holds no mail")


@pytest.mark.parametrize("headers", [{"Auto_Submitted": "auto-replied"}, {"From": "Shop <HELP@shop.example>"}])
def test_automatic_mail_is_other_and_goes_to_review(settings: Settings, headers: dict[str, str]) -> None:
    own = settings.model_copy(update={"own_addresses": "orders@shop.example, help@shop.example"})
    with TestClient(create_app(own)) as client:
        answers = [post(client, mail(part(FEE), **headers)).json()]
        answers += [client.post("/v1/emails", json={"from": "Help@shop.example", "text": FEE}).json()]
    for answer in answers:
        assert (answer["label"], answer["confidence"], answer["spans"]) == ("other", 1.0, [])
        assert (answer["decision"], answer["reasons"]) == ("review", ["automatic_mail"])
        assert FEE in answer["text"]


SEALED = multi("encrypted", part("Version: 1", "application/pgp-encrypted"), part("x", "application/octet-stream"))
ARMOUR = part("-----BEGIN PGP MESSAGE-----\n\nhQEMA5\n-----END PGP MESSAGE-----\n")


@pytest.mark.parametrize("raw", [mail(SEALED), mail(ARMOUR), mail(part(""), subject=""), b"X: y\n\n"])
def test_an_encrypted_or_empty_mail_has_no_text(client: TestClient, raw: bytes) -> None:
    answer = post(client, raw).json()
    assert (answer["label"], answer["confidence"], answer["text"]) == ("other", 1.0, "")
    assert (answer["decision"], answer["reasons"]) == ("review", ["no_text"])


INLINE = f"Please see below.\n\n---------- Forwarded message ---------\nFrom: M <m@x.example>\nSubject: A\n\n{FEE}\n"


@pytest.mark.parametrize(
    "entity",
    [
        part(INLINE),
        multi("mixed", part("Please see below."), part(mail(part(FEE)), "message/rfc822")),
        multi("mixed", part("\n"), part(mail(part(FEE)), "message/rfc822")),
    ],
)
def test_a_forwarded_complaint_is_read(client: TestClient, entity: bytes) -> None:
    assert FEE in post(client, mail(entity, subject="Fwd: A")).json()["text"]


def test_a_mail_attached_to_a_mail_of_its_own_is_not_read(client: TestClient) -> None:
    raw = mail(multi("mixed", part("I want to keep the cake."), part(mail(part(FEE)), "message/rfc822")))
    assert post(client, raw).json()["text"] == "Subject: Order 5513\n\nI want to keep the cake."


def test_odd_headers_are_stored(client: TestClient) -> None:
    raw = b"From: a\0b <\0>\nTo: \xff\nMessage-ID: <\0>\nSubject: =?utf-8?B?AGE=?= =?utf-16?B?ANg=?=\n\n\0x\0"
    assert post(client, raw).status_code == 201
    assert post(client, b"\xff\xfe\0 no mail at all").status_code == 201


def test_the_document_names_both_media_types(client: TestClient) -> None:
    post_emails = client.get("/openapi.json").json()["paths"]["/v1/emails"]["post"]
    assert set(post_emails["requestBody"]["content"]) == {"application/json", "message/rfc822"}


def test_attachments_are_named_and_counted(client: TestClient) -> None:
    invoice = part("x" * 90, "application/pdf", encoding="base64", disposition='attachment; filename="r\u00e9.pdf"')
    nameless = part("x", "image/png", disposition="attachment")
    answer = post(client, mail(multi("mixed", part(FEE), invoice, nameless))).json()
    assert answer["attachments"] == [
        {"filename": "r\u00e9.pdf", "content_type": "application/pdf", "size_bytes": 90},
        {"filename": None, "content_type": "image/png", "size_bytes": 1},
    ]
    assert client.get(f"/v1/emails/{answer['id']}").json() == answer
    assert answer["metadata"] == {}


def test_odd_names_of_attachments_are_stored(client: TestClient) -> None:
    odd = part("x", "application/a\0b", disposition="attachment; filename*=utf-8''a%00%ED%A0%80.pdf")
    assert post(client, mail(multi("mixed", part(FEE), odd))).status_code == 201


def test_a_json_body_may_be_of_a_type_that_ends_in_json(client: TestClient) -> None:
    assert post(client, b'{"text": "x"}', "application/vnd.mail+json").status_code == 201


@given(st.binary(max_size=400), st.sampled_from([b"Subject: ", b"From: ", b"Message-ID: <", b"\n", b""]))
def test_any_bytes_become_fields_that_a_database_can_hold(raw: bytes, before: bytes) -> None:
    job = read_raw(before + raw, ())
    stored = [job.intake.text, job.intake.context or "", *(entry["text"] for entry in cut_parts(job.intake))]
    stored += [entry["filename"] or "" for entry in attached(job.intake) or []]
    assert not any(UNSTORABLE.search(value) for value in stored)
