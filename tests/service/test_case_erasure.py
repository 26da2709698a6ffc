"""Erasure reaches the shop's own cases: personal details were replaced in them, yet the words are the customer's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, create_engine, text
from typer.testing import CliRunner

from model.checks.runner import run_suite
from model.classifier import Classifier
from service.app import create_app
from service.cli.commands import app
from service.database import make_engine, make_sessions
from service.recording import announce, keep
from service.settings import Settings
from service.shop_suite import shop_suite
from tests.service.test_emails import assert_problem
from tests.service.test_models import until

MARK = "zyzzyva"  # the customer's word, which no rule takes for a personal detail
TEXT = f"Refund the {MARK} fee, not the {MARK} cake."
TABLES = ("emails", "predictions", "shop_cases", "suite_runs", "suite_run_cases")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url, timeout_seconds=10)
    yield engine
    engine.dispose()


def words(url: str) -> str:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = "".join(str(connection.execute(text(f"select * from {name}")).all()) for name in TABLES)
    engine.dispose()
    return found


def make(client: TestClient, sender: str = "mina@example.org", **mail: Any) -> tuple[str, str]:
    """The ids of a mail and of a case that was made of it."""
    posted = client.post("/v1/emails", json={"from": sender, "text": TEXT, **mail})
    email_id = posted.json()["id"]
    body = {"email_id": email_id, "label": "refund_fee", "refund": f"{MARK} fee", "keep": f"{MARK} cake"}
    made = client.post("/v1/checks/cases", json=body)
    assert made.status_code == 201, made.text
    return email_id, made.json()["id"]


def case_ids(client: TestClient) -> list[str]:
    return [case["id"] for case in client.get("/v1/checks/cases").json()["data"]]


def audited(client: TestClient) -> list[tuple[str, list[str]]]:
    entries = client.get("/v1/audit", params={"action": "cases_erased"}).json()["data"]
    return [(entry["subject"], entry["details"]["case_ids"]) for entry in entries]


def test_erasing_a_mail_takes_every_wording_of_its_cases_and_what_runs_kept_of_them(
    client: TestClient, database_url: str
) -> None:
    email_id, case_id = make(client)
    path = f"/v1/checks/cases/{case_id}"
    spans = {"refund": [TEXT]}  # not marked whole, so that the run's complaint quotes it
    anew = {"kind": "minimum", "text": TEXT, "label": "refund_fee", "spans": spans, "severity": "critical"}
    assert client.put(path, json={"case": anew}).json()["revision"] == 2
    run_id = client.post("/v1/checks/runs", json={"suites": ["shop"]}).json()["data"][0]["id"]
    run = f"/v1/checks/runs/{run_id}"
    until(lambda: client.get(run).json()["run"]["state"] == "failed")
    before = client.get(run).json()
    assert MARK in before["run"]["complaints"][0]

    assert client.delete(f"/v1/emails/{email_id}").status_code == 204
    assert MARK not in words(database_url)
    assert audited(client) == [("id", [case_id])]
    assert case_ids(client) == []
    assert MARK not in client.get("/v1/checks/cases", params={"format": "yaml"}).text
    assert_problem(client.put(path, json={"case": anew}), 404)
    assert_problem(client.post(f"{path}/retire"), 404)
    assert client.get(f"/checks/cases/{case_id}").status_code == 404
    after = client.get(run).json()
    kept = ("id", "state", "n_cases", "n_passed", "failed_critical")
    assert [after["run"][name] for name in kept] == [before["run"][name] for name in kept]
    assert (after["cases"][0]["passed"], after["cases"][0]["readings"]) == (False, [])
    assert client.get(f"/checks/{run_id}").status_code == 200
    assert_problem(client.post(f"{run}/cases/0/adopt"), 422, "asks for no label")
    assert_problem(make_again(client, email_id), 409, "the mail was erased")


def make_again(client: TestClient, email_id: str) -> Any:
    return client.post("/v1/checks/cases", json={"email_id": email_id, "label": "other"})


def test_erasing_an_address_previews_its_cases_and_leaves_others(client: TestClient) -> None:
    _, kept = make(client, "noor@example.org", text=f"{TEXT} Noor")
    _, first = make(client, text=f"{TEXT} Once.")
    _, second = make(client, "shop@x.example", to=["Mina <MINA@example.org>"], text=f"{TEXT} Twice.")
    wanted = {"address": "Mina@example.org"}
    preview = client.post("/v1/erasures", json={**wanted, "dry_run": True}).json()
    assert (preview["count"], preview["case_count"], preview["case_ids"]) == (2, 2, [first, second])
    assert len(case_ids(client)) == 3
    done = client.post("/v1/erasures", json=wanted).json()
    assert (done["count"], done["case_count"]) == (2, 2)
    assert case_ids(client) == [kept]
    assert audited(client) == [("address", [first, second])]
    assert client.post("/v1/erasures", json=wanted).json()["case_count"] == 0


def test_the_retention_leaves_cases_and_their_address_still_finds_them(
    client: TestClient, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    email_id, case_id = make(client)
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", database_url.replace("+psycopg", ""))
    monkeypatch.setenv("REFUND_ROUTER_TEXT_RETENTION_DAYS", "0")

    def command(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["erase", *arguments])
        assert done.exit_code == 0, done.stderr
        return done.stderr

    assert "1 mails erased\n" in command("--expired")
    assert case_ids(client) == [case_id]
    assert "mina" not in words(database_url)
    assert "0 mails would be erased, and 1 cases" in command("--address", "MINA@example.org", "--preview")
    assert "0 mails erased, and 1 cases" in command("--address", "MINA@example.org")
    assert (case_ids(client), MARK in words(database_url)) == ([], False)
    assert client.delete(f"/v1/emails/{email_id}").status_code == 204


def test_a_case_that_was_adopted_anew_is_the_same_customers(client: TestClient, database_url: str) -> None:
    email_id, case_id = make(client)
    run_id = client.post("/v1/checks/runs", json={"suites": ["shop"]}).json()["data"][0]["id"]
    until(lambda: client.get(f"/v1/checks/runs/{run_id}").json()["run"]["state"] != "running")
    client.post(f"/v1/checks/cases/{case_id}/retire")
    adopted = client.post(f"/v1/checks/runs/{run_id}/cases/0/adopt")
    assert adopted.json()["email_id"] == email_id
    client.delete(f"/v1/emails/{email_id}")
    assert audited(client) == [("id", sorted([case_id, adopted.json()["id"]]))]
    assert MARK not in words(database_url)


def test_a_run_that_ends_after_the_erasure_keeps_nothing_of_the_case(
    settings: Settings, engine: Engine, tiny_classifier: Classifier
) -> None:
    sessions = make_sessions(engine)
    with TestClient(create_app(settings, tiny_classifier)) as client:
        email_id, _ = make(client)
        _, kept = make(client, "noor@example.org", text=f"{TEXT} Thanks.")
        with sessions() as session:
            suite = shop_suite(session)
        assert suite is not None
        (run,) = announce(sessions, [suite], model_version="m", trigger="api", actor="ann")
        result = run_suite(suite, tiny_classifier)
        client.delete(f"/v1/emails/{email_id}")
        keep(sessions, run, result)
        cases = client.get(f"/v1/checks/runs/{run.id}").json()["cases"]
        assert [(case["case_id"] == kept, bool(case["readings"])) for case in cases] in (
            [(False, False), (True, True)],
            [(True, True), (False, False)],
        )
