from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.service.test_emails import assert_problem, rows

TEXT = "Refund the fee, not cake."  # the tiny model has a window of 30 tokens


def test_a_text_is_read_in_both_orders_with_attention_and_nothing_is_stored(
    client: TestClient, database_url: str
) -> None:
    answer = client.post("/v1/explain", json={"text": TEXT, "order": [0, 1, 5, 3, 4, 2, 6]}).json()
    assert [word["text"] for word in answer["words"]] == ["Refund", "the", "fee", ",", "not", "cake", "."]
    assert answer["as_written"]["text"] == TEXT
    assert answer["arranged"]["text"] == "Refund the cake, not fee."
    label = answer["as_written"]["label"]
    after = {entry["label"]: entry["probability"] for entry in answer["arranged"]["probabilities"]}
    assert answer["order_gap"] == pytest.approx(abs(answer["as_written"]["confidence"] - after[label]))
    attention = answer["attention"]
    n_tokens = len(answer["arranged"]["tokens"])
    assert (len(attention), len(attention[0])) == (2, 4)
    assert (len(attention[0][0]), len(attention[0][0][0])) == (n_tokens, n_tokens)
    assert sum(attention[1][3][2]) == pytest.approx(1, abs=1e-3)
    assert (rows(database_url, "emails"), rows(database_url, "predictions")) == (0, 0)


def test_what_is_explained_is_what_is_served(client: TestClient) -> None:
    served = client.post("/v1/classify", json={"text": TEXT}).json()
    explained = client.post("/v1/explain", json={"text": TEXT, "attention": False}).json()
    assert explained["attention"] is None
    assert explained["order_gap"] == 0.0
    assert explained["arranged"] == explained["as_written"]
    for mine, theirs in zip(explained["arranged"]["probabilities"], served["probabilities"], strict=True):
        assert mine["label"] == theirs["label"]
        assert mine["probability"] == pytest.approx(theirs["probability"], abs=1e-4)


def test_with_positions_off_the_gap_is_nought_to_the_last_digit(client: TestClient) -> None:
    asked = {"text": TEXT, "order": [6, 5, 4, 3, 2, 1, 0]}
    on = client.post("/v1/explain", json=asked).json()
    off = client.post("/v1/explain", json={**asked, "positions": False}).json()
    assert on["order_gap"] > 0.0
    assert off["order_gap"] == 0.0
    assert off["as_written"]["probabilities"] == off["arranged"]["probabilities"]
    assert {token["position"] for token in off["arranged"]["tokens"]} == {0}


def test_attention_from_one_word_and_a_head_switched_off(client: TestClient) -> None:
    asked = {"text": TEXT, "attention_from": 2}
    plain = client.post("/v1/explain", json=asked).json()
    cut = client.post("/v1/explain", json={**asked, "heads_off": [{"layer": 0, "head": 1}]}).json()
    assert [len(head) for layer in plain["attention"] for head in layer] == [1] * 8
    assert sum(plain["attention"][0][0][0]) == pytest.approx(1, abs=1e-3)
    assert cut["arranged"]["probabilities"] != plain["arranged"]["probabilities"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": "a " * 65}, "tokens are more than the 30 of one window"),
        ({"text": "   "}, "no word"),
        ({"order": [0, 1]}, "each of the words 0 to 6 once"),
        ({"heads_off": [{"layer": 2, "head": 0}]}, "no head 0 in a layer 2"),
        ({"attention_from": 7}, "there are 7 words"),
        ({"text": "x" * 2_001}, "text"),
    ],
)
def test_what_cannot_be_laid_open_is_refused_with_its_reason(
    client: TestClient, change: dict[str, object], words: str
) -> None:
    assert_problem(client.post("/v1/explain", json={"text": TEXT, **change}), 422, words)
