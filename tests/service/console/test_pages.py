"""Pages as a browser without JavaScript has them, on both databases."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from model.config import LABELS
from service.app import create_app
from service.console.next_steps import NEXT_STEPS, next_step, read_next_steps
from service.settings import Settings

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


def test_filters_by_reason_state_and_agent_find_what_they_say(client: TestClient) -> None:
    automatic = client.post(
        "/v1/emails",
        content=b"From: a@x\r\nAuto-Submitted: auto-replied\r\n\r\nI am away.",
        headers={"content-type": "message/rfc822"},
    ).json()
    plain = send(client, subject="Order 1", text=FEE)
    assert ids(client.get("/?reason=automatic_mail").text) == [automatic["id"]]
    assert ids(client.get("/?by=local").text) == []
    assert client.post(f"/v1/emails/{plain['id']}/feedback", json={"verdict": "accepted"}).status_code == 201
    assert ids(client.get("/?by=local").text) == [plain["id"]]
    assert ids(client.get("/?state=accepted").text) == [plain["id"]]
    assert ids(client.get("/?state=open").text) == [automatic["id"]]
    assert "accepted by local" in client.get("/").text


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


def test_a_mail_shows_words_cut_context_probabilities_and_history(client: TestClient) -> None:
    reply = f"{FEE}\n\nMina\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> Refund the cake?\n"
    mail = send(client, sender="mina@example.org", subject="Re: Order 5", text=reply)
    page = client.get(f"/mails/{mail['id']}").text
    assert "<summary>Cut: quoted thread</summary>" in page
    assert "&gt; Refund the cake?" in page
    assert all(entry["label"].replace("_", " ") in page for entry in mail["probabilities"])
    other = "other" if mail["label"] != "other" else "refund_fee"
    body = {"verdict": "corrected", "label": other, "reason": "<b>said by telephone</b>"}
    assert client.post(f"/v1/emails/{mail['id']}/feedback", json=body).status_code == 201
    page = client.get(f"/mails/{mail['id']}").text
    assert "corrected by local" in page
    assert "&lt;b&gt;said by telephone" in page
    assert client.get("/mails/0").status_code == 404


@pytest.mark.parametrize(
    ("said", "shown"), [("Yes, the second one please", "Yes, the second one please"), ("", "nothing")]
)
def test_a_reply_that_points_or_is_empty_shows_its_question_as_anothers_words(
    client: TestClient, said: str, shown: str
) -> None:
    reply = f"{said}\n\nOn Mon, 30 Nov 2026 at 10:00, Shop <help@shop.example> wrote:\n> The fee,\n> or the cake?\n"
    page = client.get(f"/mails/{send(client, text=reply)['id']}").text
    words, _, rest = page.partition('aria-labelledby="context-title"')
    words = re.sub(r"<[^>]*>", "", words)
    assert shown in words
    assert "or the cake?" not in words
    assert "not the customer's words, not read" in rest
    assert re.search(r"<blockquote[^>]*>The fee,\nor the cake\?</blockquote>", rest)


def test_an_erased_mail_says_so_and_shows_numbers_alone(client: TestClient) -> None:
    mail = send(client, **{"from": "mina@example.org"}, subject="Order 5", text="Refund the marzipan.")
    assert client.delete(f"/v1/emails/{mail['id']}").status_code == 204
    for address in ("/", "/review", f"/mails/{mail['id']}"):
        page = client.get(address).text
        assert "marzipan" not in page, address
        assert "mina@" not in page, address
    assert "only numbers are kept" in client.get(f"/mails/{mail['id']}").text
    assert "<i>erased</i>" in client.get("/").text


def test_why_names_words_of_the_mail_and_says_what_it_is(client: TestClient) -> None:
    mail = send(client, text="Refund the fee, not cake.")
    page = client.get(f"/mails/{mail['id']}/why")
    assert page.status_code == 200
    assert "Occlusion" in page.text
    assert set(re.findall(r"<th scope=\"row\"><bdi>(\w+)</bdi>", page.text)) <= {"Refund", "the", "fee", "not", "cake"}
    assert "<html" not in client.get(f"/mails/{mail['id']}/why", headers={"X-Piece": "yes"}).text


def test_a_mail_of_two_megabytes_is_shown_in_part_and_whole_on_request(client: TestClient) -> None:
    mail = send(client, subject="Long", text="& ,\r\n" * 400_000)  # no words, which the tiny model would mark
    page = client.get(f"/mails/{mail['id']}").text
    assert len(page) < 100_000
    assert "more characters" in page
    assert len(client.get(f"/mails/{mail['id']}?all=yes").text) > 2_000_000


def test_carriage_returns_stay_where_offsets_count_them(client: TestClient) -> None:
    mail = send(client, text="refund\r\nthe fee", cut=False)
    assert mail["text"] == "refund\r\nthe fee"
    assert "refund&#13;\n" in re.sub(r"</?mark[^>]*>", "", client.get(f"/mails/{mail['id']}").text)


def test_the_review_page_counts_who_waits_and_says_who_has_which(client: TestClient) -> None:
    mails = [send(client, text=FEE) for _ in range(3)]
    assert {mail["decision"] for mail in mails} == {"review"}, "the tiny model is in doubt about everything"
    assert '<strong id="count">3</strong>' in client.get("/review").text
    taken = client.post("/v1/review/next").json()["email"]["id"]
    page = client.get("/review").text
    assert "<strong>2</strong> of them with nobody" in page
    assert page.count(">yours</span>") == 1
    assert "This one is yours." in client.get(f"/mails/{taken}").text
    health = client.get("/health").text
    assert "<dt>waiting for review now</dt><dd>3</dd>" in health
    assert "How long mails have waited for review: highest 3 mails at under 1 h, 3 in all" in health


def test_next_steps_come_from_the_settings_and_bad_ones_are_refused(settings: Settings) -> None:
    own = json.dumps(dict.fromkeys(LABELS[1:], "Ask Tom."))
    with TestClient(create_app(settings.model_copy(update={"next_steps": own}))) as client:
        mail = send(client, text=FEE)
        expected = NEXT_STEPS[mail["label"]] if mail["label"] == LABELS[0] else "Ask Tom."
        assert f"<b>Next</b> {expected}" in client.get(f"/mails/{mail['id']}").text
    assert next_step(LABELS[0], read_next_steps(own)) == NEXT_STEPS[LABELS[0]]
    for wrong in ("[1]", "{", '{"refund_fees": "x"}', '{"refund_fee": 1}'):
        with pytest.raises(ValueError, match="next_steps"):
            Settings(next_steps=wrong)
