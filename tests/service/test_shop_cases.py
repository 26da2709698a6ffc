"""Cases made of misread mails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from model.checks.schema import read_suite
from service.adopting import told_case
from service.app import create_app
from service.cli.commands import app
from service.database import make_engine, make_sessions
from service.made_up import names_of, replaced, stand_ins
from service.settings import Settings
from service.shop_suite import shop_suite
from service.tables import ShopCase
from tests.service.test_emails import assert_problem
from tests.service.test_models import until

MAIL = {
    "from": "Mina Rao <mina.rao@example.com>",
    "to": ["help@shop.example"],
    "text": "Hello, Mina here, order AB-10456. Refund the delivery fee, not the cake. Call +91 98200 12345. Mina",
}


@pytest.fixture
def settings(database_url: str, tiny_folder: Path) -> Settings:
    return Settings(database_url=database_url, model_folder=tiny_folder, require_keys=False)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


def make(client: TestClient, **changes: Any) -> Any:
    email_id = client.post("/v1/emails", json=MAIL).json()["id"]
    body = {"email_id": email_id, "label": "refund_fee", "refund": "delivery fee", "keep": "cake", **changes}
    return client.post("/v1/checks/cases", json=body)


def test_details_get_stand_ins_of_their_shape_and_the_same_one_everywhere() -> None:
    text = "Mina Rao, 12 Elm Street, mina@x.com: order AB-10456 and again AB-10456; card 4111 1111 1111 1111; two cakes"
    details = stand_ins(text, ["Mina", "Rao"], seed="1")
    changed = replaced(text, details)
    for detail in ("Mina", "Rao", "Elm", "mina@x.com", "AB-10456", "4111 1111"):
        assert detail not in changed
    assert changed.count(details["AB-10456"]) == 2
    assert details["AB-10456"][2] == "-"
    assert [len(group) for group in details["4111 1111 1111 1111"].split()] == [4, 4, 4, 4]
    assert changed.endswith("two cakes")
    assert changed == replaced(text, stand_ins(text, ["Mina", "Rao"], seed="1"))


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("I was born on 12/03/1985 in May.", ["12/03", "1985"], "I was born on "),
        ("DOB: 4 July 1976. Refund the tip", ["July", "1976"], ". Refund the tip"),
        ("Geboren am 7.11.1990, bitte", ["7.11", "1990"], ", bitte"),
        ("Date of birth March 3rd, 1969 ok", ["March", "3rd", "1969"], " ok"),
        ("Write to soren at firma dot example please", ["soren", "firma"], "Write to "),
        ("mina (at) shop (dot) co (dot) uk", ["mina", "shop", "co"], ""),
        ("Musterstraße 12a\n10115 Berlin\nDanke", ["Musterstr", "10115", "Berlin"], "\nDanke"),
        ("12 rue de la Paix, merci", ["Paix"], ", merci"),
        ("Vivo en Calle Mayor 5 y quiero", ["Mayor"], " y quiero"),
        ("ul. Długa 7/3\n00-238 Warszawa", ["Długa", "Warszawa"], ""),
        ("Mina\n4 Elm Road\nLeeds LS1 4AP\nthe cake", ["Elm", "Leeds", "LS1"], "\nthe cake"),
        ("Springfield, IL 62704\nThanks", ["Springfield", "62704"], "\nThanks"),
    ],
)
def test_births_streets_towns_and_spoken_addresses_go_too(text: str, gone: list[str], kept: str) -> None:
    changed = replaced(text, stand_ins(text, [], seed="1"))
    assert not [detail for detail in gone if detail in changed], changed
    assert kept in changed


@pytest.mark.parametrize(
    "text",
    [
        "Refund the fee, not the cake. I looked at the dot matrix printer.",
        "We met on 3 May; the cake was born of love.",
        "The second mug\nbroke, refund the 2 others",
    ],
)
def test_what_is_no_detail_stays(text: str) -> None:
    assert replaced(text, stand_ins(text, [], seed="1")) == text


def test_names_come_from_the_address_headers_but_not_the_addresses() -> None:
    assert names_of(["Mina Rao <mina@x.com>", "plain@x.com", None, "Jo <jo@x.com>"]) == ["Mina", "Rao"]


def test_a_misread_mail_becomes_a_pair_without_its_personal_details(client: TestClient) -> None:
    made = make(client)
    assert made.status_code == 201, made.text
    case = made.json()["case"]
    assert (case["kind"], case["a"]["label"], case["b"]["label"]) == ("swap", "refund_fee", "refund_item")
    assert "Refund the delivery fee, not the cake." in case["a"]["text"]
    assert "Refund the cake, not the delivery fee." in case["b"]["text"]
    for detail in ("Mina", "10456", "98200", "12345"):
        assert detail not in case["a"]["text"] + case["b"]["text"]
    assert made.json()["actor"] == "local"


def test_a_label_without_another_side_becomes_a_case_of_one_mail(client: TestClient) -> None:
    assert make(client, label="no_refund").json()["case"]["kind"] == "minimum"


def test_a_phrase_that_the_model_marked_amid_a_word_is_no_phrase_to_exchange(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.shop_suite._marked", lambda *_: "elivery fe")
    assert make(client, refund=None, keep=None).json()["case"]["kind"] == "minimum"
    monkeypatch.setattr("service.shop_suite._marked", lambda *_: "fee")
    assert make(client, refund=None, label="refund_item").json()["case"]["kind"] == "swap"


def test_phrases_that_nobody_judged_are_none_to_exchange(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.shop_suite._marked", lambda _, role, *__: {"refund": "cake", "keep": "fee"}[role])
    mail = client.post("/v1/emails", json={"text": "Refund the fee, not the cake."}).json()
    label = next(name for name in ("refund_fee", "refund_item") if name != mail["label"])
    client.post(f"/v1/emails/{mail['id']}/feedback", json={"verdict": "corrected", "label": label})
    told = {"email_id": mail["id"], "label": label}
    alone = client.post("/v1/checks/cases", json=told).json()
    assert alone["case"]["kind"] == "minimum"
    client.post(f"/v1/checks/cases/{alone['id']}/retire")
    marked = client.post("/v1/checks/cases", json={**told, "refund": "fee", "keep": "cake"})
    assert marked.json()["case"]["kind"] == "swap"


def test_what_does_not_fit_is_told(client: TestClient) -> None:
    assert_problem(make(client, refund="sofa"), 422, "refund: the mail does not hold 'sofa'")
    assert_problem(make(client, keep="fee"), 422, "keep: overlaps refund")
    assert_problem(make(client, label="nothing"), 422, "label")
    assert_problem(make(client, email_id="nothing"), 404, "no mail has this id")
    assert client.get("/v1/checks/cases").json()["data"] == []


def test_what_the_suite_holds_already_is_not_added_again_until_it_is_retired(client: TestClient) -> None:
    made = make(client).json()
    again = make(client, severity="critical")
    assert_problem(again, 409, "holds a case of this mail already")
    assert again.json()["case_id"] == made["id"]
    client.post(f"/v1/checks/cases/{made['id']}/retire")
    assert make(client).status_code == 201


def test_the_same_mail_is_one_case_however_often_it_came(client: TestClient) -> None:
    made = make(client).json()
    other = client.post("/v1/emails", json={**MAIL, "message_id": "<again@example.com>"}).json()["id"]
    assert other != made["email_id"]
    for again in (make(client, names=["Call"]), make(client, email_id=other)):
        assert_problem(again, 409, "holds a case of this mail already")
        assert again.json()["case_id"] == made["id"]
    assert make(client, email_id=other, label="no_refund").status_code == 201


def test_a_case_is_reworded_retired_and_never_deleted(client: TestClient) -> None:
    made = make(client).json()
    path = f"/v1/checks/cases/{made['id']}"
    anew = {"case": {"kind": "minimum", "text": "Refund the fee.", "label": "refund_fee"}}
    changed = client.put(path, json=anew).json()
    assert (changed["revision"], changed["case"]["id"], changed["case"]["text"]) == (2, made["id"], "Refund the fee.")
    assert_problem(client.put(path, json={"case": {"kind": "minimum", "text": "x"}}), 422, "label")
    for wrong, words in (
        ({**anew["case"], "text": " "}, "case.text: must not be blank"),
        ({"kind": "minimum", "text": "", "label": "other"}, "case.text: must not be blank"),
    ):
        assert client.put(path, json={"case": wrong}).json()["detail"] == words
    assert client.post(f"{path}/retire").json()["retired"] is True
    assert client.get("/v1/checks/cases", params={"retired": False}).json()["data"] == []
    assert [entry["revision"] for entry in client.get("/v1/checks/cases").json()["data"]] == [3]
    assert_problem(client.post("/v1/checks/cases/nothing/retire"), 404, "no case has this id")


def test_the_yaml_is_a_suite_and_runs_take_it_in(client: TestClient, tmp_path: Path) -> None:
    made = make(client).json()
    answer = client.get("/v1/checks/cases", params={"format": "yaml"})
    assert answer.headers["content-type"].startswith("application/yaml")
    (tmp_path / "shop.yaml").write_text(answer.text)
    suite = read_suite(tmp_path / "shop.yaml")
    assert [case.id for case in suite.cases] == [made["id"]]
    runs = client.post("/v1/checks/runs", json={"suites": ["shop"]}).json()["data"]
    assert [(run["suite"], run["suite_sha256"]) for run in runs] == [("shop", suite.sha256)]


def test_a_suite_file_of_the_shops_name_is_run_with_the_shops_cases_and_its_floors_hold(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "shop.yaml"
    monkeypatch.setattr(Settings, "suite_files", lambda _: [file])
    theirs = [{"id": "theirs", "kind": "minimum", "text": "my shop", "label": "no_refund", "severity": "critical"}]
    file.write_text(yaml.safe_dump({"name": "shop", "description": "x", "fail_under": 0.9, "cases": theirs}))
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:

        def asked() -> tuple[list[str], list[float]]:
            run = client.post("/v1/checks/runs", json={"suites": ["shop"]}).json()["data"][0]["id"]
            until(lambda: client.get(f"/v1/checks/runs/{run}").json()["run"]["state"] != "running")
            told = client.get(f"/v1/checks/runs/{run}").json()
            return [case["case_id"] for case in told["cases"]], [group["fail_under"] for group in told["run"]["groups"]]

        made = make(client).json()
        assert asked() == ([made["id"], "theirs"], [0.9])
        exported = yaml.safe_load(client.get("/v1/checks/cases", params={"format": "yaml"}).text)
        file.write_text(yaml.safe_dump({**exported, "cases": [*exported["cases"], *theirs]}))
        assert asked() == ([made["id"], "theirs"], [0.0]), "an export is the same case"
        anew = {"case": {"kind": "minimum", "text": "Refund the fee.", "label": "refund_fee"}}
        client.put(f"/v1/checks/cases/{made['id']}", json=anew)
        assert asked() == ([made["id"], f"{made['id']} (file)", "theirs"], [0.0]), "both wordings are asked"


def test_export_writes_the_standing_cases_as_a_suite_and_refuses_where_there_are_none(
    client: TestClient, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", settings.database_url)
    target = tmp_path / "our-suites" / "shop.yaml"

    def export(*more: str) -> Result:
        return CliRunner().invoke(app, ["export", "--cases", str(target), *more])

    nothing = export()
    assert (nothing.exit_code, target.exists()) == (2, False)
    assert "no case stands" in nothing.stderr
    made = make(client).json()
    assert export().exit_code == 0
    assert [case.id for case in read_suite(target).cases] == [made["id"]]
    alone = export("--corrections")
    assert (alone.exit_code, "--cases: stands alone" in alone.stderr) == (2, True)


def test_pages_of_cases_are_newest_first(client: TestClient) -> None:
    ids = [make(client, label=label).json()["id"] for label in ("no_refund", "refund_policy", "refund_fee")]
    page = client.get("/v1/checks/cases", params={"limit": 2}).json()
    rest = client.get("/v1/checks/cases", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert [entry["id"] for entry in page["data"] + rest["data"]] == ids[::-1]


def test_a_case_of_a_run_is_taken_into_the_shops_suite_in_one_step(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = "Order AB-10456, mina@x.com"
    a, b = f"{order}: refund the fee, not the cake.", f"{order}: refund the cake, not the fee."
    swap = {"id": "s", "kind": "swap", "severity": "critical"}
    theirs = [
        {**swap, "a": {"text": a, "label": "refund_fee"}, "b": {"text": b, "label": "refund_item"}},
        {"id": "one", "kind": "minimum", "text": "I am Jo. Thanks.", "label": "no_refund"},
        {"id": "greeted", "kind": "invariance", "text": "Hello, swap it.", "label": "replacement", "edits": ["case"]},
        {"id": "orders", "kind": "structural", "text": "refund the fee and not the cake"},
        {
            "id": "cannot",
            "kind": "minimum",
            "text": "Jo here: the lens of Jo is fine, refund the fitting fee.",
            "label": "refund_fee",
            "spans": {"refund": ["fitting fee"], "keep": ["lens of Jo"]},
            "decision": "review",
        },
    ]
    suite = tmp_path / "theirs.yaml"
    suite.write_text(yaml.safe_dump({"name": "theirs", "description": "x", "fail_under": 0.0, "cases": theirs}))
    monkeypatch.setattr(Settings, "suite_files", lambda _: [suite])
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        run = client.post("/v1/checks/runs").json()["data"][0]["id"]
        until(lambda: client.get(f"/v1/checks/runs/{run}").json()["run"]["state"] != "running")
        cases = f"/v1/checks/runs/{run}/cases"
        pair = client.post(f"{cases}/0/adopt")
        assert pair.status_code == 201, pair.text
        told = pair.json()["case"]
        assert (told["kind"], told["severity"], told["a"]["label"]) == ("swap", "critical", "refund_fee")
        assert told["a"]["text"].endswith("refund the fee, not the cake.")
        assert told["b"]["text"].endswith("refund the cake, not the fee.")
        assert told["a"]["text"].split(":")[0] == told["b"]["text"].split(":")[0], "the same stand-ins in both"
        assert not any(detail in told["a"]["text"] for detail in ("10456", "mina"))
        one = client.post(f"{cases}/1/adopt", json={"names": ["Jo"], "severity": "minor"}).json()["case"]
        assert (one["kind"], one["label"], one["severity"]) == ("minimum", "no_refund", "minor")
        assert "Jo." not in one["text"]
        assert client.post(f"{cases}/2/adopt").json()["case"]["text"] == "Hello, swap it."
        asked = client.post(f"{cases}/4/adopt", json={"names": ["Jo"]}).json()["case"]
        assert (asked["kind"], asked["decision"], asked["spans"]["refund"]) == ("minimum", "review", ["fitting fee"])
        (kept,) = asked["spans"]["keep"]
        assert "Jo" not in kept
        assert kept in asked["text"]
        exported = tmp_path / "shop.yaml"
        exported.write_text(client.get("/v1/checks/cases", params={"format": "yaml"}).text)
        assert "fitting fee" in str([getattr(case, "spans", None) for case in read_suite(exported).cases])
        assert_problem(client.post(f"{cases}/3/adopt"), 422, "asks for no label")
        assert_problem(client.post(f"{cases}/0/adopt"), 409, "holds this case already")
        assert_problem(client.post(f"{cases}/9/adopt"), 404, "no run holds this case")
        assert_problem(client.post("/v1/checks/runs/%00/cases/0/adopt"), 404, "no run has this id")
        assert len(client.get("/v1/checks/cases").json()["data"]) == 4


def test_a_single_mail_of_a_run_gets_the_partner_that_its_marked_phrases_make() -> None:
    spans = [
        {"role": role, "text": words, "confidence": confidence}
        for role, words, confidence in (("refund", "fee", 0.9), ("refund", "Please", 0.2), ("keep", "cake", 0.9))
    ]
    reading = {"text": "Please refund the fee, not the cake.", "expected": "refund_item", "spans": spans}
    told = told_case("minimum", [reading])
    assert told is not None
    assert (told["a"]["label"], told["b"]) == (
        "refund_item",
        {"text": "Please refund the cake, not the fee.", "label": "refund_fee"},
    )
    reading["spans"] = [{**span, "text": "fee"} for span in spans]
    alone = told_case("minimum", [reading])
    assert alone == {"kind": "minimum", "text": reading["text"], "label": "refund_item"}, "what overlaps is no pair"


def test_a_case_that_no_suite_takes_any_more_is_left_out_and_told(
    client: TestClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """As one of an earlier version may be: it holds up neither its suite nor the others."""
    kept = make(client).json()
    row = {"id": "old", "kind": "minimum", "text": "Refund it.", "label": "refund_order", "spans": {"refund": ["pie"]}}
    engine = make_engine(settings.database_url, timeout_seconds=settings.database_timeout_seconds)
    with make_sessions(engine).begin() as session:
        session.add(
            ShopCase(id="old", revision=1, case=row, retired=False, actor="before", created_at=datetime.now(UTC))
        )
    with make_sessions(engine).begin() as session:
        suite = shop_suite(session)
    engine.dispose()
    assert suite is not None
    assert [case.id for case in suite.cases] == [kept["case"]["id"]]
    assert "case old is left out" in caplog.text
    assert client.post("/v1/checks/runs", json={"suites": ["shop"]}).status_code == 202
