from __future__ import annotations

from fastapi.testclient import TestClient

FEE = "Refund the delivery fee, not the cake."


def test_the_health_page_draws_what_is_stored(client: TestClient) -> None:
    label = [client.post("/v1/emails", json={"text": FEE}).json() for _ in range(3)][0]["label"]
    page = client.get("/health").text
    assert "<dt>mails in the last day</dt><dd>3</dd>" in page
    assert f"Labels of the last day: highest 3 mails at {label.replace('_', ' ')}, 3 in all" in page
    assert "Mails an hour, UTC: highest 3 mails at" in page
    assert 'aria-label="Answers to a mail, up to: highest' in page
    assert "has no reference to measure against" in page


def test_the_checks_page_is_there_before_any_run_and_an_unknown_run_is_said(client: TestClient) -> None:
    assert client.get("/checks").status_code == 200
    assert client.get("/checks/none").status_code == 404
