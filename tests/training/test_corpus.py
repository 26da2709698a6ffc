from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from training.corpus_check import check_corpus, duplicates, near_copies
from training.data import CorpusError, Mail, read_file, read_split, read_writers
from training.generator import Generator, harvest


def test_the_corpus_has_no_duplicates_conflicts_or_leaks_and_holds_no_suite_mail() -> None:
    assert check_corpus() == []


def test_every_writer_belongs_to_one_split_and_blind_ones_are_not_trained_on() -> None:
    writers = read_writers()
    trained = {mail.writer for mail in read_split("train")}
    assert trained == {writer.name for writer in writers if writer.split == "train"}
    assert {"gita", "hollis"} <= {writer.name for writer in writers if writer.split == "blind"}


def test_near_copies_and_conflicts_are_found() -> None:
    a = Mail("Please refund the delivery fee, and not the lovely cake.", "refund_fee", writer="a", source="1")
    b = Mail("please refund the delivery fee and not the lovely CAKE", "refund_item", writer="b", source="2")
    assert "conflicting label" in duplicates([a, b])[0]
    assert "near copy of kept" in near_copies([a], {"kept": b.text + " Thanks a lot."})[0]
    assert near_copies([a], {"kept": "An altogether different mail about something else."}) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", r"w.jsonl:2: is not JSON"),
        ("[]", r"w.jsonl:2: is not a JSON object"),
        ('{"label": "refund_item"}', r"w.jsonl:2: field 'text' is missing"),
        ('{"label": "refund", "text": "x"}', r"w.jsonl:2: field 'label': 'refund' is none of"),
        ('{"label": "other", "text": "[keep:x"}', r"w.jsonl:2: field 'text': a mark is not closed"),
        ('{"label": "other", "text": "x", "colour": 1}', r"w.jsonl:2: field 'colour' is unknown"),
    ],
)
def test_bad_rows_are_refused_with_file_line_and_field(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "w.jsonl"
    path.write_text(json.dumps({"label": "other", "text": "fine"}) + "\n" + row + "\n")
    with pytest.raises(CorpusError, match=message):
        read_file(path)


def test_a_file_without_a_writer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "x.jsonl").touch()
    (tmp_path / "writers.toml").write_text("")
    with pytest.raises(CorpusError, match="x: has no entry"):
        read_writers(tmp_path)


def test_generated_mails_mark_their_phrases_and_repeat_for_a_seed() -> None:
    lexicon = harvest(read_split("train"))
    assert not set(lexicon.fees) & set(lexicon.items)
    generator = Generator(lexicon, 7)
    drawn = [generator.draw() for _ in range(2_000)]
    again = Generator(lexicon, 7)
    assert [again.draw() for _ in range(2_000)] == drawn
    for mail in drawn:
        roles = {span.role for span in mail.spans}
        if mail.label in ("refund_item", "refund_fee"):
            assert "refund" in roles


def test_a_generated_mail_that_points_back_marks_the_thing_that_stands_in_that_place() -> None:
    generator = Generator(harvest(read_split("train")), 3)
    places = [("former", "latter"), ("line 1", "line 2"), ("number one", "number two")]
    found = []
    for mail in (generator.draw() for _ in range(6_000)):
        for first, second in places:
            point = re.search(f"[Rr]efund (the )?({first}|{second}), not (the )?({first}|{second})", mail.text)
            if point is None:
                continue
            wanted, kept = (next(span for span in mail.spans if span.role == role) for role in ("refund", "keep"))
            in_order = wanted.start < kept.start
            found.append((point[2] == first, in_order))
            assert point[2] != point[4]
            assert (point[2] == first) == in_order, mail.text
    assert {first for first, _ in found} == {True, False}
