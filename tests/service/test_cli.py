from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from model.checks.schema import SUITES
from service.cli.commands import app
from service.settings import released_model

runner = CliRunner()
STORY = ["Refund the delivery fee, not the cake.", "Refund the cake, not the delivery fee."]


def test_classify_tells_the_storys_two_mails_apart() -> None:
    result = runner.invoke(app, ["classify", *STORY])
    assert result.exit_code == 0
    fee, item = map(json.loads, result.stdout.splitlines())
    assert (fee["label"], item["label"]) == ("refund_fee", "refund_item")
    assert [(s["role"], s["text"]) for s in fee["spans"]] == [("refund", "delivery fee"), ("keep", "cake")]


def test_a_dash_as_output_is_the_terminal(tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = runner.invoke(app, ["classify", STORY[0], "--output", "-", "--model", str(tiny_folder)])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["text"] == STORY[0]
    assert list(tmp_path.iterdir()) == []


def test_classify_keeps_ids_and_order_of_a_file(tmp_path: Path, tiny_folder: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    raw = "Subject: Hi\nContent-Type: text/plain\n\nrefund the cake"
    rows = [{"id": n, "text": f"mail {n} " * (n % 7)} for n in range(150)]
    rows += [{"id": "s", "subject": "Fee", "html": "<p>refund</p>"}, {"id": "r", "raw": raw}]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["classify", "--input", str(source), "--output", str(target), "--model", str(tiny_folder)]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    answers = [json.loads(line) for line in target.read_text().splitlines()]
    assert [answer["id"] for answer in answers] == [row["id"] for row in rows]
    assert [answer["text"] for answer in answers[-2:]] == ["Subject: Fee\n\nrefund", "Subject: Hi\n\nrefund the cake"]
    assert answers[0]["reasons"][0] == "no_text"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{", "row 2: is not JSON"),
        ('{"text": "x"}', "row 2: field 'id'"),
        ('{"id": 1, "text": 7}', "row 2: field 'text'"),
        ('{"id": 1}', "row 2: field 'text' is missing"),
        ('{"id": 1, "text": "x", "colour": 1}', "row 2: field 'colour'"),
        ('{"id": 1, "text": "\\ud800"}', "row 2: field 'text'"),
        (json.dumps({"id": 1, "raw": "Content-Type: message/rfc822\n\n" * 30}), "row 2: field 'raw': nesting"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(tmp_path: Path, tiny_folder: Path, row: str, words: str) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": 0, "text": "fine"}\n' + row + "\n")
    arguments = ["classify", "--input", str(source), "--output", str(target), "--model", str(tiny_folder)]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert not target.exists()


@pytest.mark.parametrize("output", ["/", ".", "..", "nowhere/out.jsonl"])
def test_an_output_that_is_no_file_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text('{"id": 0, "text": "fine"}\n')
    result = runner.invoke(app, ["classify", "--input", "in.jsonl", "--output", output])
    assert result.exit_code == 2
    assert "is no file in an existing folder" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_full_device_is_told_in_one_line_and_stays_a_device(tmp_path: Path, tiny_folder: Path) -> None:
    device = Path("/dev/full")
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 0, "text": "fine"}\n')
    command = [sys.executable, "-m", "service.cli", "classify", "--model", str(tiny_folder)]
    to_option = [*command, "--input", str(source), "--output", str(device)]
    with device.open("w") as stdout:
        runs = [
            subprocess.run(to_option, stderr=subprocess.PIPE, text=True, check=False),
            subprocess.run([*command, "hi"], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False),
        ]
    for run in runs:
        assert run.returncode == 2
        assert "No space left on device" in run.stderr
        assert "Traceback" not in run.stderr
    assert device.is_char_device()


def test_check_exits_1_when_the_model_fails_and_writes_its_reports(tmp_path: Path, tiny_folder: Path) -> None:
    report, junit = tmp_path / "r.json", tmp_path / "r.xml"
    suite = str(SUITES / "time.yaml")
    arguments = ["check", "--suite", suite, "--model", str(tiny_folder), "--json", str(report), "--junit", str(junit)]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 1
    assert "FAILED" in result.stdout
    assert json.loads(report.read_text())[0]["passed"] is False
    assert "<failure" in junit.read_text()


def test_check_runs_a_folder_of_the_shops_own_suites_and_of_them_only_what_is_asked(
    tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    rows = (
        "  - {id: m, kind: minimum, text: hi, label: other}\n  - {id: o, kind: structural, text: refund the fee not}\n"
    )
    (own / "ours.yaml").write_text(f"name: ours\ndescription: d\ncases:\n{rows}")
    arguments = ["check", "--model", str(tiny_folder), "--only", "structural"]
    by_option = runner.invoke(app, [*arguments, "--suite", str(own)])
    assert re.search(r"ours on tiny\+\w+: 1 of 1 cases: passed", by_option.stdout)
    assert by_option.exit_code == 0
    monkeypatch.setenv("REFUND_ROUTER_SUITE_FOLDER", str(own))
    by_setting = runner.invoke(app, arguments)
    assert re.search(r"ours on tiny\+\w+: 1 of 1 cases: passed", by_setting.stdout)
    assert "fee-not-cake on tiny+" in by_setting.stdout


def test_check_exits_0_on_the_released_model_where_it_passes(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = runner.invoke(app, ["check", "--suite", str(SUITES / "blind.yaml"), "--html", str(page)])
    assert result.exit_code == 0
    assert "The run passed." in page.read_text(encoding="utf-8")


def one_suite(folder: Path, *texts: str) -> Path:
    """Three dozen mails in one group, all labelled `other`, and no floor."""
    path = folder / "many.yaml"
    rows = [f"{{id: c{n}, kind: minimum, label: other, text: '{texts[n % len(texts)]} {n}'}}" for n in range(36)]
    path.write_text(f"name: many\ndescription: d\nfail_under: 0\ncases: [{', '.join(rows)}]\n")
    return path


def test_check_exits_1_where_a_group_fell_against_a_baseline_model_or_file(tmp_path: Path, tiny_folder: Path) -> None:
    suite, before = one_suite(tmp_path, "Where is my parcel?", "Which post code is yours?"), tmp_path / "before.json"
    good = runner.invoke(app, ["check", "--suite", str(suite), "--json", str(before)])
    assert good.exit_code == 0
    arguments = ["check", "--suite", str(suite), "--model", str(tiny_folder), "--baseline"]
    by_file = runner.invoke(app, [*arguments, str(before)])
    by_model = runner.invoke(app, [*arguments, str(released_model())])
    assert by_file.exit_code == by_model.exit_code == 1
    assert by_file.stdout == by_model.stdout
    assert "group many: 36 cases broke and 0 mended (p = 0.000): FAILED" in by_file.stdout
    mended = runner.invoke(app, ["check", "--suite", str(suite), "--baseline", str(tiny_folder)])
    assert mended.exit_code == 0
    assert "36 newly mended" in mended.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["classify"], "give either texts or --input"),
        (["classify", "--input", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["check", "--suite", "nowhere.yaml"], "nowhere.yaml"),
        (["check", "--suite", "DEEP"], "nesting depth"),
        (["check", "--only", "neverland"], "--only neverland: no case has this group, capability or kind"),
        (["check", "--baseline", "nowhere.json"], "nowhere.json: No such file"),
        (["check", "--baseline", "EMPTY"], "empty.json: holds no run"),
        (["check", "--baseline", "OTHER"], "other.json: holds no run of blind, directional"),
        (["check", "--model", "nowhere"], "nowhere: is not a folder"),
        (["serve", "--port", "99999"], "setting REFUND_ROUTER_PORT"),
    ],
)
def test_bad_input_is_told_in_one_line_with_exit_code_2(tmp_path: Path, arguments: list[str], words: str) -> None:
    deep = tmp_path / "deep.yaml"
    deep.write_text("[" * 5_000)
    empty, other = tmp_path / "empty.json", tmp_path / "other.json"
    empty.write_text("[]")
    cases = [{"id": "a", "passed": True}]
    other.write_text(json.dumps([{"suite": "ours", "suite_sha256": "x", "model_version": "v", "cases": cases}]))
    files = {"DEEP": str(deep), "EMPTY": str(empty), "OTHER": str(other)}
    result = runner.invoke(app, [files.get(argument, argument) for argument in arguments])
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PORT", "banana", "setting REFUND_ROUTER_PORT"),
        ("DATABASE_URL", "mysql://x", "setting REFUND_ROUTER_DATABASE_URL"),
        ("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none", "database:"),
    ],
)
def test_wrong_settings_stop_the_start(monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str) -> None:
    monkeypatch.setenv(f"REFUND_ROUTER_{name}", value)
    result = runner.invoke(app, ["db", "upgrade"])
    assert result.exit_code == 2
    assert words in result.stderr


def test_serve_migrates_answers_and_stops_cleanly(tmp_path: Path, tiny_folder: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"sqlite:///{tmp_path}/deep/router.db"
    environment = {**os.environ, "REFUND_ROUTER_DATABASE_URL": url, "REFUND_ROUTER_MODEL_FOLDER": str(tiny_folder)}
    command = [sys.executable, "-m", "service.cli", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        ready = None
        for _ in range(1_200):
            try:
                ready = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5))
                break
            except OSError:
                time.sleep(0.1)
        assert ready is not None
        assert ready["model_version"].startswith("tiny+")
    finally:
        server.terminate()
        _, errors = server.communicate(timeout=20)
    assert f"console: http://127.0.0.1:{port}/" in errors
    assert "Traceback" not in errors


def test_a_bad_model_folder_stops_serve_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REFUND_ROUTER_MODEL_FOLDER", str(tmp_path))
    result = runner.invoke(app, ["serve"])
    assert result.exit_code == 2
    assert "config.json: is missing" in result.stderr


EML = b"Subject: Hi\nTo: a@x.example\n\nRefund the cake\n\nOn Mon, 30 Nov 2026, Shop <a@x.example> wrote:\n> yes?\n"
MACHINE = b"Subject: Hi\nAuto-Submitted: auto-replied\n\nRefund the cake\n"


def lay_out(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def classified(source: Path, model: Path) -> list[dict[str, Any]]:
    result = runner.invoke(app, ["classify", "--input", str(source), "--model", str(model)])
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


FROM_LINE = b"From mina@example.org Tue Dec  1 10:00:00 2026\n"
CSV = 'id,subject,text,raw\na,Hi,Refund the cake,\nb,,,"Auto-Submitted: auto-replied\nSubject: Hi\n\nRefund the cake"\n'


@pytest.mark.parametrize(
    ("name", "files", "ids"),
    [
        ("", {"a.eml": EML, "b.eml": MACHINE}, ["a.eml", "b.eml"]),
        ("box", {"box/cur/1.a:2,S": EML, "box/new/2.b": MACHINE, "box/tmp/x": b""}, ["1.a", "2.b"]),
        ("old.mbox", {"old.mbox": FROM_LINE + EML + b"\n" + FROM_LINE + MACHINE}, ["old.mbox#1", "old.mbox#2"]),
        ("Inbox", {"Inbox": FROM_LINE + EML + b"\n" + FROM_LINE + MACHINE}, ["Inbox#1", "Inbox#2"]),
        ("in.CSV", {"in.CSV": CSV.encode()}, ["a", "b"]),
    ],
    ids=["folder", "maildir", "mbox", "mbox by its bytes", "csv"],
)
def test_classify_takes_mails_as_files_have_them(
    tmp_path: Path, tiny_folder: Path, name: str, files: dict[str, bytes], ids: list[str]
) -> None:
    lay_out(tmp_path, files)
    first, second = classified(tmp_path / name, tiny_folder)
    assert [first["id"], second["id"]] == ids
    assert first["text"] == "Subject: Hi\n\nRefund the cake"
    assert (second["label"], second["decision"], second["reasons"]) == ("other", "review", ["automatic_mail"])


def test_classify_says_what_was_read_of_an_eml_and_what_was_cut(tmp_path: Path, tiny_folder: Path) -> None:
    (tmp_path / "a.eml").write_bytes(EML)
    (answer,) = classified(tmp_path / "a.eml", tiny_folder)
    assert (answer["source"], answer["attachments"]) == ("plain", [])
    assert [part["kind"] for part in answer["cut"]] == ["quote"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("in.csv", b"id,text\n1,x\n2,\n", "in.csv: row 3: field 'text' is empty"),
        (
            "in.csv",
            b'id,raw\n\n2,"' + b"Content-Type: message/rfc822\n\n" * 30 + b'"\n',
            "row 3: field 'raw': nesting",
        ),
        ("in.mbox", b"Subject: Hi\n\nx\n", "in.mbox: is no mbox"),
        ("in.eml", b"Content-Type: message/rfc822\n\n" * 30, "in.eml: mail 'in.eml': nesting"),
        ("empty/x", b"", "holds no .eml file"),
        ("in.jsonl", b'{"id": 1, "text": "x", "cut": "no"}', "row 1: field 'cut'"),
    ],
)
def test_a_bad_file_of_mails_is_named_with_row_and_field(
    tmp_path: Path, tiny_folder: Path, name: str, content: bytes, words: str
) -> None:
    lay_out(tmp_path, {name: content})
    source = tmp_path / "empty" if name == "empty/x" else tmp_path / name
    result = runner.invoke(app, ["classify", "--input", str(source), "--model", str(tiny_folder)])
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""


def test_a_row_with_cut_false_is_read_whole(tmp_path: Path, tiny_folder: Path) -> None:
    text = "Refund the cake\n\nOn Mon, 30 Nov 2026, Shop <a@x.example> wrote:\n> yes?"
    lines = [json.dumps({"id": number, "text": text, "cut": cut}) for number, cut in enumerate((True, False))]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    own, whole = classified(tmp_path / "in.jsonl", tiny_folder)
    assert (own["text"], whole["text"]) == ("Refund the cake", text)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "there is no key yet, and 0.0.0.0 is not loopback"),
        (["--host", "0.0.0.0", "--no-keys"], "without keys the service listens on loopback only"),
    ],
)
def test_serve_refuses_to_listen_beyond_loopback_without_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_folder: Path, arguments: list[str], words: str
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", f"sqlite:///{tmp_path}/x.db")
    monkeypatch.setenv("REFUND_ROUTER_MODEL_FOLDER", str(tiny_folder))
    result = runner.invoke(app, ["serve", "--port", "0", *arguments])
    assert result.exit_code == 2
    assert words in result.stderr
