"""Pages as a browser without JavaScript has them, on both databases."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

FEE = "Refund the delivery fee, not the cake."


def send(client: TestClient, **mail: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/v1/emails", json=mail).json()
    return answer


def ids(page: str) -> list[str]:
    return re.findall(r'<li id="mail-([0-9a-f-]{36})"', page)


def test_the_inbox_filters_by_its_address_and_goes_back_by_keyset(client: TestClient) -> None:
    mails = [send(client, sender=f"writer{n}@x", subject=f"Order {n}", text=FEE) for n in range(60)]
    newest_first = [mail["id"] for mail in reversed(mails)]
    first = client.get("/").text
    assert ids(first) == newest_first[:50]
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older is not None
    assert ids(client.get(older.group(1)).text) == newest_first[50:]
    assert ids(client.get("/?q=order 7").text) == [mails[7]["id"]]
    assert ids(client.get("/?q=100%25").text) == []
    label = mails[0]["label"]
    other = "other" if label != "other" else "refund_fee"
    assert len(ids(client.get(f"/?label={label}&decision={mails[0]['decision']}").text)) == 50
    assert ids(client.get(f"/?label={other}").text) == []


def test_a_reason_finds_its_mails(client: TestClient) -> None:
    automatic = client.post(
        "/v1/emails",
        content=b"From: a@x\r\nAuto-Submitted: auto-replied\r\n\r\nI am away.",
        headers={"content-type": "message/rfc822"},
    ).json()
    send(client, subject="Order 1", text=FEE)
    assert ids(client.get("/?reason=automatic_mail").text) == [automatic["id"]]


def test_rows_of_given_mails_are_those_that_the_filters_let_through(client: TestClient) -> None:
    one, two = (send(client, subject=f"Order {n}", text=FEE) for n in (1, 2))
    both = f"{one['id']},{two['id']}"
    assert ids(client.get(f"/inbox/rows?ids={both}").text) == [two["id"], one["id"]]
    assert ids(client.get(f"/inbox/rows?ids={both}&q=Order 1").text) == [one["id"]]
    assert ids(client.get("/inbox/rows?ids=none").text) == []


@pytest.mark.parametrize("address", ["/?before=%00", "/?label=%00", "/?q=%25_%5C", "/?before=zzz", "/mails/%00"])
def test_an_odd_address_breaks_nothing(client: TestClient, address: str) -> None:
    send(client, text=FEE)
    assert client.get(address).status_code in (200, 404)


def test_a_mail_shows_its_words_what_was_cut_and_its_probabilities(client: TestClient) -> None:
    reply = f"{FEE}\n\nMina\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> Refund the cake?\n"
    mail = send(client, sender="mina@example.org", subject="Re: Order 5", text=reply)
    page = client.get(f"/mails/{mail['id']}").text
    assert "<summary>Cut: quoted thread</summary>" in page
    assert "&gt; Refund the cake?" in page
    assert all(entry["label"].replace("_", " ") in page for entry in mail["probabilities"])
    assert client.get("/mails/0").status_code == 404


def test_why_names_words_of_the_mail_and_says_what_it_is(client: TestClient) -> None:
    mail = send(client, text="Refund the fee, not cake.")
    page = client.get(f"/mails/{mail['id']}/why")
    assert page.status_code == 200
    assert "Occlusion" in page.text
    assert set(re.findall(r"<th scope=\"row\"><bdi>(\w+)</bdi>", page.text)) <= {"Refund", "the", "fee", "not", "cake"}
    assert "<html" not in client.get(f"/mails/{mail['id']}/why", headers={"X-Piece": "yes"}).text


def test_a_mail_of_two_megabytes_is_shown_in_part_and_whole_on_request(client: TestClient) -> None:
    mail = send(client, subject="Long", text="refund the cake & fee\r\n" * 90_000)
    page = client.get(f"/mails/{mail['id']}").text
    assert len(page) < 200_000  # a tenth of the mail; the tiny model marks nearly every word
    assert "more characters" in page
    assert len(client.get(f"/mails/{mail['id']}?all=yes").text) > 2_000_000


def test_carriage_returns_stay_where_offsets_count_them(client: TestClient) -> None:
    mail = send(client, text="refund\r\nthe fee", cut=False)
    assert mail["text"] == "refund\r\nthe fee"
    assert "refund&#13;\n" in re.sub(r"</?mark[^>]*>", "", client.get(f"/mails/{mail['id']}").text)
