from __future__ import annotations

from pathlib import Path

import pytest

from service.intake.errors import IntakeError, LimitError, Limits, SourceError
from service.intake.mime import parse_mail
from service.intake.sources import CsvRow, iterate_csv, iterate_mails

ONE = b"Subject: one\n\nRefund the fee.\n"
TWO = b"Subject: two\n\nFrom the shop I got no cake.\n>From me\n"


def written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_eml_is_one_mail(tmp_path: Path) -> None:
    assert list(iterate_mails(written(tmp_path / "a.eml", ONE))) == [("a.eml", ONE)]


def test_folder_is_read_in_order_of_names_and_only_its_eml(tmp_path: Path) -> None:
    for name in ("b.eml", "a.EML", "c.txt", "10.eml"):
        written(tmp_path / name, name.encode())
    (tmp_path / "d.eml").mkdir()

    assert list(iterate_mails(tmp_path)) == [("10.eml", b"10.eml"), ("a.EML", b"a.EML"), ("b.eml", b"b.eml")]


def test_folder_without_eml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"holds no \.eml"):
        list(iterate_mails(tmp_path))


def test_maildir_gives_new_and_read_mails_without_flags(tmp_path: Path) -> None:
    for name in ("new/2.b", "cur/1.a:2,S", "tmp/3.c", "cur/.hidden"):
        written(tmp_path / name, name.encode())

    assert list(iterate_mails(tmp_path)) == [("1.a", b"cur/1.a:2,S"), ("2.b", b"new/2.b")]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_mbox_is_parted_at_from_lines_and_unescaped(tmp_path: Path, line_end: bytes) -> None:
    separator = b"From mina@example.org Tue Dec  1 10:00:00 2026\n"
    content = separator + ONE + b"\n" + separator + TWO + b">>From you\n\n"

    found = list(iterate_mails(written(tmp_path / "in.mbox", content.replace(b"\n", line_end))))

    wanted = TWO.replace(b">From", b"From") + b">From you\n"
    assert found == [("in.mbox#1", ONE.replace(b"\n", line_end)), ("in.mbox#2", wanted.replace(b"\n", line_end))]


@pytest.mark.parametrize(
    "line",
    [
        b"From the shop I got no cake",  # a sentence after an empty line
        b"From Monday 10:30 on I waited",  # with a time, but no year
    ],
)
def test_sentence_that_begins_with_from_parts_nothing(tmp_path: Path, line: bytes) -> None:
    path = written(tmp_path / "in.mbox", b"From a Tue Dec  1 10:00:00 2026\n" + ONE + b"\n" + line + b"\n")

    assert [raw for _, raw in iterate_mails(path)] == [ONE + b"\n" + line + b"\n"]


def test_mbox_mail_over_the_limit_is_cut_and_then_refused(tmp_path: Path) -> None:
    limits = Limits(mail_bytes=1_000)
    separator = b"From a Tue Dec  1 10:00:00 2026\n"
    content = separator + ONE + b"x" * 50_000 + b"\n" + b"y\n" * 9_000 + b"\n" + separator + TWO

    (_, first), (_, second) = iterate_mails(written(tmp_path / "in.mbox", content), limits)

    assert len(first) < 3_000
    assert second == TWO.replace(b">From", b"From")
    with pytest.raises(LimitError, match="mail_bytes"):
        parse_mail(first, limits)


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_empty_mbox_has_no_mails(tmp_path: Path, content: bytes) -> None:
    assert list(iterate_mails(written(tmp_path / "in.mbox", content))) == []


def test_file_that_is_no_mbox_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is no mbox"):
        list(iterate_mails(written(tmp_path / "in.mbox", ONE)))


def test_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "no.eml", tmp_path / "no.mbox"):
        with pytest.raises(SourceError, match="No such file"):
            list(iterate_mails(path))
    with pytest.raises(IntakeError, match="No such file"):
        list(iterate_csv(tmp_path / "no.csv"))


def test_csv_rows_are_read_with_a_byte_order_mark_and_quoted_lines(tmp_path: Path) -> None:
    content = '\ufeffID,subject,text\n1,Gebühr,"Refund it,\nplease"\n\n2,,Cake\n'

    found = list(iterate_csv(written(tmp_path / "in.csv", content.encode())))

    assert found == [CsvRow("1", text="Refund it,\nplease", subject="Gebühr"), CsvRow("2", text="Cake")]


def test_csv_cell_over_pythons_own_limit_is_read(tmp_path: Path) -> None:
    assert list(iterate_csv(written(tmp_path / "in.csv", b"id,raw\n1," + b"x" * 200_000)))[0].raw == "x" * 200_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "row 1: field 'id' is missing"),
        (b"text\nRefund", "row 1: field 'id' is missing"),
        (b"id\n1", "row 1: field 'text' is missing"),
        (b"id,body\n1,x", "row 1: field 'body'"),
        (b"id,text,text\n1,x,y", "row 1: field 'text': stands there twice"),
        (b"id,text\n1,x\n,y", "row 3: field 'id' is empty"),
        (b"id,text\n1,", "row 2: field 'text' is empty"),
        (b"id,text\n1,x,y", "row 2: has 3 fields"),
        (b"id,text\n1,x\n2,\xff", "is not UTF-8"),
    ],
)
def test_bad_csv_names_file_row_and_field(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path / "in.csv", content)

    with pytest.raises(SourceError) as refusal:
        list(iterate_csv(path))

    assert str(path) in str(refusal.value)
    assert message in str(refusal.value)
