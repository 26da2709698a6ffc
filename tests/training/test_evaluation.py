from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from model.classifier import Classifier
from tests.tiny import CONTRASTS, train_tiny
from training.cli import app
from training.evaluation import evaluate, length_group, macro_f1, macro_f1_interval
from training.report import render_report

PAIRED = [
    replace(mail, pair=str(number // 2), writer="w", source=f"w:{number}") for number, mail in enumerate(CONTRASTS)
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    return train_tiny("rope", tmp_path_factory.mktemp("reader"))


def test_a_model_that_reads_order_gets_the_pairs_that_a_bag_of_words_cannot(reader: Classifier) -> None:
    figures = evaluate(reader, PAIRED)
    assert figures["label"]["accuracy"] == 1.0
    assert figures["pairs"] == figures["pairs"] | {"pairs": 2, "both_right": 1.0, "both_same": 0.0}
    assert sum(figures["pairs"]["order_gap_histogram"][5:]) == 2
    assert figures["order_blind_ceiling"]["pairs_both_right"] == 0.0
    assert figures["mistakes"] == []


def test_wrong_labels_show_as_the_most_confident_mistakes_and_in_the_confusion(reader: Classifier) -> None:
    wrong = [replace(PAIRED[0], label="no_refund"), *PAIRED[1:]]
    figures = evaluate(reader, wrong)
    assert figures["confusion"]["no_refund"] == {"refund_fee": 1}
    assert [m["source"] for m in figures["mistakes"]] == ["w/w:0"]
    assert figures["mistakes"][0]["predicted"] == "refund_fee"
    assert figures["auto"]["coverage"] == 0.0  # the tiny card has no thresholds: nothing is decided alone
    assert figures["auto"]["reasons"]["low_confidence"] == len(wrong)


def test_of_mails_that_nobody_may_read_for_errors_only_figures_are_given(reader: Classifier) -> None:
    wrong = [replace(PAIRED[0], label="no_refund"), *PAIRED[1:]]
    figures = evaluate(reader, wrong, show_mistakes=False)
    assert figures["mistakes"] == []
    assert PAIRED[0].text not in render_report(figures, reader.classes, "blind")


def test_the_report_stands_alone_and_escapes_the_mail(reader: Classifier) -> None:
    hostile = replace(PAIRED[0], label="no_refund", text="refund the <script>fee</script>", spans=())
    page = render_report(evaluate(reader, [hostile, *PAIRED[1:]]), reader.classes, "a title")
    assert page.count("<svg") == 4  # reliability, coverage, refused, order gaps
    assert "&lt;script&gt;fee" in page
    assert "<script" not in page
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?https?:""", page)  # nothing is fetched


def test_evaluate_writes_the_page_and_the_figures(tmp_path: Path) -> None:
    mails = tmp_path / "mine.jsonl"
    mails.write_text('{"label": "refund_fee", "text": "refund the [refund:delivery fee], not the [keep:cake]"}\n')
    folder = train_tiny("rope", tmp_path)
    outputs = ["--html", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")]
    command = ["evaluate", "--model", str(tmp_path / "model"), "--mails", str(mails), *outputs]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "r.json").read_text())["label"]["mails"] == 1
    assert folder.version in (tmp_path / "r.html").read_text()
    assert CliRunner().invoke(app, [*command[:-1], str(tmp_path / "no" / "r.json")]).exit_code == 2


def test_an_unknown_split_is_refused_in_one_line() -> None:
    result = CliRunner().invoke(app, ["evaluate", "--model", "model/released", "--split", "test"])
    assert result.exit_code == 2
    assert "'test' is none of train, development, blind" in result.output


def test_macro_f1_weighs_every_label_alike_and_its_interval_holds_it() -> None:
    gold = ["a"] * 90 + ["b"] * 10
    predicted = ["a"] * 100
    assert macro_f1(gold, predicted) == pytest.approx((2 * 90 / 190 + 0.0) / 2)
    low, high = macro_f1_interval(gold, predicted)
    assert low <= macro_f1(gold, predicted) <= high


@pytest.mark.parametrize(("words", "group"), [(20, "000-020"), (21, "021-060"), (250, "121-250"), (251, "over 250")])
def test_length_groups_end_where_they_say(words: int, group: str) -> None:
    assert length_group(replace(PAIRED[0], text="word " * words)) == group
