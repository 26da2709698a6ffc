from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

FEE = "Refund the delivery fee, not the cake."
MAIL = {"message_id": "<1@x>", "from": "mina@example.org", "to": ["help@shop"], "subject": "Order 5", "text": FEE}


def rows(url: str, table: str) -> int:
    engine = create_engine(url)
    with engine.connect() as connection:
        count = int(connection.execute(text(f"select count(*) from {table}")).scalar_one())
    engine.dispose()
    return count


def assert_problem(response: Any, status: int, *words: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    for word in words:
        assert word in body["detail"]


def test_a_mail_is_answered_and_both_rows_are_stored(client: TestClient, database_url: str) -> None:
    response = client.post("/v1/emails", json=MAIL)
    assert response.status_code == 201
    answer = response.json()
    assert answer["from"] == "mina@example.org"
    assert answer["text"] == f"Subject: Order 5\n\n{FEE}"
    assert answer["probabilities"][0] == {"label": answer["label"], "probability": answer["confidence"]}
    assert sum(entry["probability"] for entry in answer["probabilities"]) == pytest.approx(1, abs=1e-5)
    assert client.get(f"/v1/emails/{answer['id']}").json() == answer
    assert (rows(database_url, "emails"), rows(database_url, "predictions")) == (1, 1)


def test_the_same_message_id_again_gets_the_first_answer(client: TestClient, database_url: str) -> None:
    first = client.post("/v1/emails", json=MAIL)
    again = client.post("/v1/emails", json={**MAIL, "text": f"{FEE}\n", "metadata": {"try": 2}})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert rows(database_url, "emails") == 1


def test_the_same_message_id_at_once_makes_one_row(client: TestClient, database_url: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post("/v1/emails", json=MAIL), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert rows(database_url, "emails") == 1


def test_a_mail_with_nothing_to_read_is_other_and_goes_to_review(client: TestClient) -> None:
    answer = client.post("/v1/emails", json={"text": ""}).json()
    assert (answer["label"], answer["decision"]) == ("other", "review")
    assert "no_text" in answer["reasons"]


def test_html_is_read_where_there_is_no_text(client: TestClient) -> None:
    html = "<html><head><style>p{}</style><script>alert(1)</script></head><body><p>Refund the cake</p></body></html>"
    assert client.post("/v1/emails", json={"html": html}).json()["text"] == "Refund the cake"


def test_classify_stores_numbers_and_no_text(client: TestClient, database_url: str) -> None:
    answer = client.post("/v1/classify", json={"text": FEE}).json()
    assert answer["text"] == FEE
    assert (rows(database_url, "emails"), rows(database_url, "predictions")) == (0, 1)
    engine = create_engine(database_url)
    with engine.connect() as connection:
        stored = str(connection.execute(text("select * from predictions")).one())
    engine.dispose()
    assert "cake" not in stored


def test_pages_follow_each_other_newest_first_and_filters_hold(client: TestClient) -> None:
    posted = [client.post("/v1/emails", json={"text": f"mail {n}"}).json() for n in range(5)]
    seen, cursor = [], None
    while True:
        page = client.get("/v1/emails", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [email["id"] for email in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [email["id"] for email in reversed(posted)]
    label = posted[0]["label"]
    found = client.get("/v1/emails", params={"label": label}).json()["data"]
    assert {email["id"] for email in found} == {email["id"] for email in posted if email["label"] == label}
    assert client.get("/v1/emails", params={"label": "nonsense"}).json()["data"] == []


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, ("at least one of subject, text and html",)),
        ({"text": 5}, 422, ("text",)),
        ({"text": "a\0b"}, 422, ("text", "NUL at character 1")),
        ({"text": "x", "colour": "red"}, 422, ("colour",)),
        ({"text": "x", "metadata": {"a": ["b\0"]}}, 422, ("metadata", "NUL")),
        ({"text": "x", "received_at": "2026-01-01T00:00:00"}, 422, ("received_at",)),  # no time zone
        ({"text": "x", "received_at": "0001-01-01T00:00:00+14:00"}, 422, ("received_at",)),
        ({"text": "x", "message_id": ""}, 422, ("message_id",)),
        ({"text": "x", "message_id": "é" * 600}, 422, ("message_id", "1200 bytes")),
        ({"text": "x" * 3_000_001}, 413, ("limit of 3000000 bytes",)),
    ],
)
def test_bad_mail_is_refused_in_words_and_stores_nothing(
    client: TestClient, database_url: str, body: dict[str, object], status: int, words: tuple[str, ...]
) -> None:
    assert_problem(client.post("/v1/emails", json=body), status, *words)
    assert rows(database_url, "emails") == rows(database_url, "predictions") == 0


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"text": "\\ud800"}', 422),  # a lone surrogate
        (b'{"\\ud800": 1, "text": "x"}', 422),
        (b'{"text": "x", "metadata": {"a": NaN}}', 422),
        (b"not json", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b"[]", 422),
    ],
)
def test_a_body_that_is_no_mail_is_refused(client: TestClient, content: bytes, status: int) -> None:
    response = client.post("/v1/emails", content=content, headers={"content-type": "application/json"})
    assert_problem(response, status)


def test_a_body_that_does_not_tell_its_length_is_stopped_at_the_limit(client: TestClient) -> None:
    def stream() -> Any:
        yield b'{"text": "'
        for _ in range(40):
            yield b"x" * 100_000

    response = client.post("/v1/emails", content=stream(), headers={"content-type": "application/json"})
    assert_problem(response, 413, "limit")


@pytest.mark.parametrize("content", ["word " * 400_000, "\u202eesrever\u202c", "😀" * 10_000])
def test_huge_and_odd_mails_are_answered(client: TestClient, content: str) -> None:
    assert client.post("/v1/emails", json={"text": content}).status_code == 201


@pytest.mark.parametrize(
    ("ask", "status"),
    [
        (lambda c: c.get("/v1/emails/nothing"), 404),
        (lambda c: c.get("/v1/emails/%00"), 404),
        (lambda c: c.get("/v1/nothing"), 404),
        (lambda c: c.put("/v1/emails"), 405),
        (lambda c: c.get("/v1/emails?cursor=x"), 422),
        (lambda c: c.get("/v1/emails?limit=0"), 422),
        (lambda c: c.get("/v1/emails?label=%00"), 422),
        (lambda c: c.get("/v1/emails?created_from=0001-01-01T00:00:00Z"), 422),
        (lambda c: c.post("/v1/classify", json={"text": ""}), 422),
    ],
)
def test_errors_have_one_shape(client: TestClient, ask: Callable[[TestClient], Any], status: int) -> None:
    assert_problem(ask(client), status)


@pytest.mark.parametrize("depth", [33, 300, 900])
def test_metadata_nested_too_deep_is_refused(client: TestClient, depth: int) -> None:
    nested: dict[str, Any] = {}
    for _ in range(depth):
        nested = {"a": nested}
    response = client.post("/v1/emails", json={"text": "x", "metadata": nested})
    assert_problem(response, 422, "metadata")
    assert client.get("/v1/emails").json()["data"] == []


@pytest.mark.parametrize(
    "declaration", ['<?xml version="1.0" encoding="utf-8"?>', '<?xml\tversion="1.0" encoding="x">']
)
def test_html_that_names_an_encoding_is_read(client: TestClient, declaration: str) -> None:
    assert client.post("/v1/emails", json={"html": f"{declaration}<p>cake</p>"}).json()["text"] == "cake"


@pytest.mark.parametrize("text", ["\u200b", "\u202e", "\x01\x02"])
def test_a_mail_of_invisible_characters_has_no_text(client: TestClient, text: str) -> None:
    answer = client.post("/v1/emails", json={"text": text}).json()
    assert (answer["label"], answer["reasons"]) == ("other", ["no_text"])


def test_a_mail_without_an_order_check_has_a_null_column(client: TestClient, database_url: str) -> None:
    client.post("/v1/emails", json={"text": ""})
    engine = create_engine(database_url)
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from predictions where order_check is null")).scalar_one() == 1
    engine.dispose()


def test_labels_health_readiness_and_metrics_answer(client: TestClient) -> None:
    client.post("/v1/emails", json={"text": FEE})
    assert [label["name"] for label in client.get("/v1/labels").json()["data"]][:2] == ["refund_item", "refund_fee"]
    assert client.get("/healthz").json() == {"status": "ok"}
    served = client.get("/readyz").json()["model_version"]
    assert served.startswith("tiny+")
    exposed = client.get("/metrics").text
    assert 'refund_router_http_requests_total{method="POST",route="/v1/emails",status="201"}' in exposed
    assert f'refund_router_predictions_total{{decision="auto",label="billing_error",model="{served}"}}' in exposed


def test_the_inbox_shows_mail_as_text_only(client: TestClient) -> None:
    client.post("/v1/emails", json={"text": "<script>alert(1)</script> refund the cake"})
    page = client.get("/")
    assert "<script>" not in page.text
    assert "&lt;" in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")


REPLY = f"{FEE}\n\nMina\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> Refund the cake?\n"


def test_quotes_are_cut_from_the_body_and_cut_false_keeps_them(client: TestClient) -> None:
    own = client.post("/v1/emails", json={"subject": "Re: Order 5", "text": REPLY}).json()
    whole = client.post("/v1/emails", json={"subject": "Re: Order 5", "text": REPLY, "cut": False}).json()
    assert own["text"].startswith(f"Subject: Re: Order 5\n\n{FEE}")
    assert [part["kind"] for part in own["cut"]][-1] == "quote"
    assert "> Refund the cake?" in own["cut"][-1]["text"]
    assert (own["source"], own["attachments"]) == ("plain", None)
    assert whole["cut"] == []
    assert "cake?" not in own["text"]
    assert whole["text"] == f"Subject: Re: Order 5\n\n{REPLY}".rstrip()


def test_a_body_past_what_the_model_reads_is_kept_whole(client: TestClient) -> None:
    text = "refund " * 30_000 + REPLY
    assert client.post("/v1/emails", json={"text": text}).json()["text"] == text


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ({"text": FEE}, "plain"),
        ({"html": f"<p>{FEE}", "text": " "}, "html"),
        ({"subject": FEE}, "subject"),
        ({"text": ""}, None),
    ],
)
def test_the_answer_says_what_was_read(client: TestClient, body: dict[str, str], source: str | None) -> None:
    assert client.post("/v1/emails", json=body).json()["source"] == source


def test_a_mail_of_quotes_only_keeps_them_as_context(client: TestClient) -> None:
    quotes = "On Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> Refund the cake?\n"
    answer = client.post("/v1/emails", json={"text": quotes}).json()
    assert (answer["text"], answer["context"]) == ("", "Refund the cake?")
    assert answer["reasons"] == ["no_text"]
    assert client.get(f"/v1/emails/{answer['id']}").json() == answer
