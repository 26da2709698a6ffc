from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given as given_values
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from service.cli.commands import app
from service.markup import marked
from tests.service.test_feedback import another_label, give, post_mail, span
from tests.service.test_reviews import execute
from training.data import read_file
from training.markup import MarkedSpan, parse

BRACKETS = "Refund the [fee], [refund: now], not [keep:the cake] [[really]. [replace"


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", database_url.replace("+psycopg", ""))


def export(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["export", *map(str, arguments)])


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("words", ["Refund the fee, not the cake.", BRACKETS, "🎂 fee\n\nand [cake] é"])
def test_a_correction_is_read_back_by_the_trainer_with_its_spans(
    client: TestClient, tmp_path: Path, words: str
) -> None:
    mail = post_mail(client, words)
    spans = [span("refund", "fee", words), span("keep", "cake", words)]
    give(client, mail, verdict="corrected", label=another_label(mail), spans=spans)
    result = export("--corrections", "--output", tmp_path / "corrections.jsonl")
    assert (result.exit_code, "1 mails" in result.stderr) == (0, True), result.stderr
    (read,) = read_file(tmp_path / "corrections.jsonl")
    assert read.label == another_label(mail)
    assert read.spans == tuple(MarkedSpan(entry["role"], entry["start"], entry["end"]) for entry in spans)
    assert len(read.text) == len(words)
    if words is not BRACKETS:
        assert read.text == words


@pytest.mark.usefixtures("environment")
def test_marks_that_nobody_judged_are_left_out_of_a_correction(client: TestClient, tmp_path: Path) -> None:
    mail = post_mail(client)
    assert mail["spans"], "the tiny model marks something"
    give(client, mail, verdict="corrected", label=another_label(mail))
    assert export("--corrections", "--output", tmp_path / "c.jsonl").exit_code == 0
    (read,) = read_file(tmp_path / "c.jsonl")
    assert (read.label, read.spans, read.text) == (another_label(mail), (), mail["text"])
    give(client, mail, verdict="corrected", label=another_label(mail), spans=mail["standing_spans"])
    assert export("--corrections", "--output", tmp_path / "c.jsonl").exit_code == 0
    assert read_file(tmp_path / "c.jsonl")[0].spans


PIECES = st.sampled_from(["[", "]", "[refund:", "[keep", "replace", "fee", " ", ":", "\n", "(", "é🎂", "[["])


@hypothesis_settings(max_examples=500, deadline=None)
@given_values(st.data())
def test_any_text_with_any_spans_is_read_back_at_the_same_places(data: st.DataObject) -> None:
    text = "".join(data.draw(st.lists(PIECES, min_size=1, max_size=20)))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True).map(sorted))
    spans = [
        {"role": data.draw(st.sampled_from(["refund", "keep", "replace"])), "start": start, "end": end}
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if text[start:end] == text[start:end].strip()
    ]
    read, found = parse(marked(text, spans))
    assert [(entry.role, entry.start, entry.end) for entry in found] == [tuple(entry.values()) for entry in spans]
    assert len(read) == len(text)
    assert all(new == old or (old, new) in {("[", "("), ("]", ")")} for old, new in zip(text, read, strict=True))


@pytest.mark.usefixtures("environment")
def test_only_corrections_that_stand_are_exported_by_time_and_label(
    client: TestClient, database_url: str, tmp_path: Path
) -> None:
    mails = [post_mail(client, f"mail {n}") for n in range(4)]
    label = another_label(mails[0])
    for mail in mails[:3]:
        give(client, mail, verdict="corrected", label=label)
    give(client, mails[1], verdict="withdrawn")
    give(client, mails[3], verdict="accepted")
    execute(
        database_url, "update feedback set created_at = '2026-01-05 00:00:00' where email_id = :id", id=mails[0]["id"]
    )
    target = tmp_path / "c.jsonl"

    def exported(*more: object) -> list[str]:
        assert export("--corrections", "--output", target, *more).exit_code == 0
        return [mail.text for mail in read_file(target)]

    assert exported() == ["mail 0", "mail 2"]
    assert exported("--since", "2026-02-01") == ["mail 2"]
    assert exported("--label", label) == ["mail 0", "mail 2"]
    assert exported("--label", another_label({"label": label})) == []


@pytest.mark.usefixtures("environment")
def test_all_mails_are_exported_as_the_service_gives_them(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.exporting.PAGE", 2)  # several pages
    mails = [client.post("/v1/emails", json={"text": f'mail {n}, "quoted"\nline'}).json() for n in range(5)]
    assert export("--output", tmp_path / "mails.jsonl").exit_code == 0
    lines = [json.loads(line) for line in (tmp_path / "mails.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [mail["id"] for mail in mails]
    assert lines[0] == client.get(f"/v1/emails/{mails[0]['id']}").json()
    assert export("--output", tmp_path / "mails.csv").exit_code == 0
    with (tmp_path / "mails.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["text"] for row in rows] == [mail["text"] for mail in mails]
    assert rows[0]["reasons"].split() == mails[0]["reasons"]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%d")
    assert export("--since", tomorrow).stdout == ""


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--label", "refund_moon"], "--label refund_moon: is none of"),
        (["--output", "/nowhere/x.jsonl"], "is no file in an existing folder"),
        (["--corrections", "--format", "csv"], "training mails are JSONL"),
        (["--since", "yesterday"], "yesterday"),
    ],
)
def test_a_wrong_option_stops_the_export_before_it_begins(arguments: list[str], words: str) -> None:
    result = export(*arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
