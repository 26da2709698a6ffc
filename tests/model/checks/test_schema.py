from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
import yaml

from model.checks.cases import DirectionalCase, InvarianceCase, Label, Role, SwapCase
from model.checks.schema import (
    JSON_SCHEMA,
    Suite,
    SuiteError,
    json_schema,
    read_suite,
    read_suites,
    shipped_suites,
    suites_in,
)
from model.config import LABELS, NO_ROLE, ROLES

SUITE = """\
name: s
description: d
capability: contrast
fail_under: 1.0
cases:
  - id: story
    kind: swap
    a: {text: "Refund the delivery fee, not the cake.", label: refund_fee}
    b: {text: "Refund the cake, not the delivery fee.", label: refund_item}
  - {id: blind, kind: structural, text: "refund the fee not the cake please"}
"""


def written(folder: Path, text: str, name: str = "s.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def suite(folder: Path, cases: str, head: str = "") -> Suite:
    return read_suite(written(folder, f"name: s\ndescription: d\n{head}cases:\n{cases}"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("label: refund_fee", "label: refund_feee", r":8: case 1 \(story\): a: field 'label': 'refund_feee' is none"),
        ("kind: swap", "kind: swop", r"s.yaml:6: case 1 \(story\): field 'kind': 'swop' is none of swap, invariance"),
        ("kind: swap", "kimd: swap", r"s.yaml:6: case 1 \(story\): field 'kind' is missing"),
        ("fail_under: 1.0", "fail_under: 7", "s.yaml:4: field 'fail_under': 7"),
        ("fail_under: 1.0", "fail_under: {negation: 0.5}", "field 'fail_under': no case is of group 'negation'"),
        ("description: d", "descripton: d", "field 'description' is missing"),
        ("name: s", "name: 7", "s.yaml:1: field 'name': 7: input should be a valid string"),
        ("name: s", "name: ' '", "s.yaml:1: field 'name': ' '"),
        ("id: blind, ", "id: story, ", r"s.yaml:10: case 2 \(story\): case id 'story' is used twice"),
        ("id: blind, ", "id: blind, txet: x, ", r"s.yaml:10: case 2 \(blind\): field 'txet' is unknown"),
        ("id: blind, ", "id: blind, id: b2, ", "s.yaml:10: field 'id' is there twice"),
        ("id: blind, ", "id: blind, blind: shuffle, ", r"case 2 \(blind\): either 'text', or 'a', 'b' and 'blind'"),
        ("id: blind, ", "id: blind, severity: high, ", "field 'severity': 'high' is none of 'critical', 'major'"),
        ("id: blind, ", "id: blind, sample: 3, ", "field 'sample' is of templates only"),
        ("id: blind, ", "id: blind, template: true, ", r"the case has no slot such as \{fee\}"),
        ("id: blind, ", "id: blind, filler: {words: 20}, ", r"at 'between' needs the mark \{filler\}"),
        ("id: blind, ", "id: blind, filler: {words: 1, at: end}, ", "field 'words': 1"),
        ("id: blind, ", "id: blind, lang: fr, filler: {words: 9, at: end}, ", "no filler sentences in 'fr'"),
        ("kind: structural", "kind: invariance", "fields 'edits' and 'variants' are both empty"),
        ("kind: structural", "kind: invariance, edits: [name]", "name finds nothing to change in the text"),
        ("kind: structural", "kind: directional, label: other, by: 0.2", "exactly one of 'add' and 'changed'"),
        ("id: blind, ", "id: blind, check: order, ", "field 'check': 'order' is none of 'orders' or 'alone'"),
        ("refund the fee not the cake please", f"{'fee ' * 101}\", check: \"alone", "field 'text': over 100 words"),
        ("text: \"refund the fee not the cake please\"", "check: alone, blind: shuffle, a: {text: x, label: other}, "
         "b: {text: y, label: other}", "field 'check' is of 'text' only"),
        ("fail_under: 1.0", "fail_under: 1.5", r"s.yaml:4: field 'fail_under': 1.5 is not between 0 and 1$"),
        ("fail_under: 1.0", "fail_under: {story: -1.0}", "field 'story': -1.0 is not between 0 and 1$"),
        ("id: blind, ", "id: blind, filler: {words: [2, 100000000]}, ",
         "field 'words': 100000000 is not between 2 and 300$"),
        ("Refund the cake, not the delivery fee.", "Refund the delivery fee, not the cake.",
         r":6: case 1 \(story\): fields 'a' and 'b' are the same mail"),
        ("kind: structural", "kind: minimum, label: other, spans: {refund: [mug]}",
         r":10: case 2 \(blind\): field 'spans': the text does not hold 'mug'"),
        ("refund the fee not the cake please", "x" * 5_000_001, "field 'text'.* at most 5000000 characters"),
        ("cases:", "a: &a [*a]\ncases:", "s.yaml:5: an alias stands for what it is in"),
        ("cases:", "cases: [", r"s\.yaml:6: .*expected"),
    ],
)  # fmt: skip
def test_a_wrong_suite_is_refused_with_file_line_case_and_field(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SUITE
    with pytest.raises(SuiteError, match=message) as refusal:
        read_suite(written(tmp_path, SUITE.replace(old, new, 1)))
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"nosuch\.yaml: No such file or directory$") as refusal:
        read_suite(tmp_path / "nosuch.yaml")
    assert str(refusal.value).count("nosuch") == 1


def test_aliases_of_aliases_are_refused_before_they_are_written_out(tmp_path: Path) -> None:
    bomb = "l0: &l0 [x]\n" + "".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 10)}]\n" for n in range(12))
    with pytest.raises(SuiteError, match=r"aliases stand for \d+ values more than are written, over 100000"):
        read_suite(written(tmp_path, f"{SUITE}{bomb}"))
    few = SUITE.replace("a: {", "a: &a {").replace("b: {", "b: &b {") + "  - {id: again, kind: swap, a: *b, b: *a}\n"
    assert len(read_suite(written(tmp_path, few)).cases) == 3


def test_what_a_template_makes_is_looked_at_too(tmp_path: Path) -> None:
    case = """
  - {id: m, kind: minimum, template: true, text: "The {fee} back.", label: refund_fee, spans: {refund: [tip]}}
"""
    with pytest.raises(SuiteError, match=r"case 1 \(m\): field 'spans': the text does not hold 'tip'") as refusal:
        suite(tmp_path, case, LEXICONS)
    assert "\n" not in str(refusal.value)


def test_a_case_without_capability_or_group_takes_the_suites_word(tmp_path: Path) -> None:
    read = read_suite(written(tmp_path, SUITE.replace("id: blind,", "id: blind, group: control,")))
    assert [(case.capability, case.group) for case in read.cases] == [("contrast", "contrast"), ("contrast", "control")]


def test_floors_are_by_group_with_a_default(tmp_path: Path) -> None:
    read = read_suite(written(tmp_path, SUITE.replace("1.0", "{contrast: 0.25}")))
    assert (read.floor("contrast"), read.floor("another")) == (0.25, 1.0)


TEMPLATE = """
  - id: t
    kind: swap
    template: true
    a: {text: "Refund the {fee}, not the {item1} or the {item2}.", label: refund_fee}
    b: {text: "Refund the {item1} and the {item2}, not the {fee}.", label: refund_item}
"""
MANY_WORDS = ", ".join(f"w{number}" for number in range(1_001))
LEXICONS = "lexicons: {fee: [delivery fee, tip], item: [cake, mug, lamp]}\n"


def test_a_template_is_every_combination_with_different_words_in_slots_of_one_lexicon(tmp_path: Path) -> None:
    cases = suite(tmp_path, TEMPLATE, LEXICONS).cases
    assert len(cases) == 2 * 3 * 2
    assert cases[0].id == "t/delivery-fee/cake/mug"
    assert cases[0].texts() == (
        "Refund the delivery fee, not the cake or the mug.",
        "Refund the cake and the mug, not the delivery fee.",
    )
    assert not any(re.search(r"the (\w+) (?:or|and) the \1", text) for case in cases for text in case.texts())


def test_a_sample_of_a_template_is_fixed_by_the_seed_and_keeps_its_cases_when_the_lexicon_grows(tmp_path: Path) -> None:
    def ids(head: str) -> set[str]:
        return {case.id for case in suite(tmp_path, TEMPLATE, head).cases}

    five = ids(f"sample: 5\n{LEXICONS}")
    assert five == ids(f"sample: 5\n{LEXICONS}") <= ids(LEXICONS)
    assert len(five) == 5
    assert five != ids(f"seed: 1\nsample: 5\n{LEXICONS}")
    more = ids(f"sample: 5\n{LEXICONS.replace('lamp', 'lamp, vase')}")
    assert more & five  # drawn anew from 24, two in five on average would stay


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("lexicons: {fee: [tip]}\n", r"slot \{item1\}: the suite has no lexicon 'item'"),
        ("lexicons: {fee: [tip], item: [cake]}\n", "too few words to fill them differently"),
        ("lexicons: {fee: [tip, tip], item: [cake, mug]}\n", "lexicon 'fee' holds 'tip' twice"),
        (f"lexicons: {{fee: [tip], item: [{MANY_WORDS}]}}\n", "1002001 combinations are over 1000000"),
        ("lexicons: {filler: [x], fee: [tip], item: [cake, mug]}\n", "no lexicon may have its name"),
    ],
)
def test_a_slot_that_cannot_be_filled_is_told(tmp_path: Path, head: str, message: str) -> None:
    with pytest.raises(SuiteError, match=message):
        suite(tmp_path, TEMPLATE, head)


def test_a_templates_spans_are_filled_too(tmp_path: Path) -> None:
    case = """
  - {id: m, kind: minimum, template: true, text: "The {fee} back.", label: refund_fee, spans: {refund: ["{fee}"]}}
"""
    tip = suite(tmp_path, case, LEXICONS).cases[1].model_dump()
    assert (tip["text"], tip["spans"]) == ("The tip back.", {"refund": ["tip"]})


def test_filler_puts_the_very_number_of_words_between_the_members_and_the_same_in_both(tmp_path: Path) -> None:
    row = """
  - id: far
    kind: swap
    a: {text: "Refund the fee. {filler} Not the cake.", label: refund_fee}
    b: {text: "Refund the cake. {filler} Not the fee.", label: refund_item}
    filler: {words: [2, 17, 300], at: between}
"""
    cases = suite(tmp_path, row).cases
    assert [case.id for case in cases] == ["far/2", "far/17", "far/300"]
    for case, words in zip(cases, (2, 17, 300), strict=True):
        assert isinstance(case, SwapCase)
        a, b = (side.text.split() for side in (case.a, case.b))
        assert len(a) == len(b) == 6 + words
        assert sorted(a) != sorted(b) or sorted(word.strip(".") for word in a) == sorted(word.strip(".") for word in b)
        assert a[3 : 3 + words] == b[3 : 3 + words]


@pytest.mark.parametrize(("at", "before"), [("start", 0), ("middle", 20), ("end", 40)])
def test_filler_puts_the_text_at_the_start_the_middle_or_the_end(tmp_path: Path, at: str, before: int) -> None:
    row = f"  - {{id: p, kind: minimum, text: Refund the tip., label: refund_fee, filler: {{words: 40, at: {at}}}}}"
    (text,) = suite(tmp_path, row).cases[0].texts()
    assert len(text.split("Refund the tip.")[0].split()) == before
    assert len(text.split()) == 43


def test_edits_make_variants_that_the_seed_fixes(tmp_path: Path) -> None:
    row = "  - {id: i, kind: invariance, text: 'Rosa paid €5 in service twice.', edits: [case, name, currency, typo]}"
    first, again, other = (suite(tmp_path, row, head).cases[0] for head in ("", "", "seed: 3\n"))
    assert isinstance(first, InvarianceCase)
    assert [variant.edit for variant in first.variants] == ["capitals", "small letters", "name", "currency", "typo"]
    assert first == again != other


def test_a_directional_addition_stands_behind_the_text(tmp_path: Path) -> None:
    row = "  - {id: d, kind: directional, text: Cold soup., add: Money back please., label: refund_item, by: 0.2}"
    (case,) = suite(tmp_path, row).cases
    assert isinstance(case, DirectionalCase)
    assert case.after == "Cold soup. Money back please."


def test_a_folder_is_all_its_suites_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    written(tmp_path, SUITE, "one.yaml")
    assert [read.name for read in read_suites([tmp_path])] == ["s"]
    written(tmp_path, SUITE, "two.yml")
    with pytest.raises(SuiteError, match=r"two.yml: suite 's' is already in .*one.yaml"):
        read_suites([tmp_path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(SuiteError, match=r"empty: holds no .yaml file"):
        suites_in(tmp_path / "empty")


def test_the_editors_schema_is_the_readers_and_the_shipped_suites_follow_it() -> None:
    assert JSON_SCHEMA.read_text(encoding="utf-8") == json_schema(), "write it anew: python -m model.checks.schema"
    validator = jsonschema.Draft202012Validator(json.loads(json_schema()))
    for path in shipped_suites():
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# yaml-language-server: $schema=../suite.schema.json\n"), path
        validator.validate(yaml.safe_load(text))
    broken = yaml.safe_load(SUITE.replace("refund_fee", "refund_feee"))
    assert not validator.is_valid(broken)


def test_a_suite_knows_the_models_labels_and_roles() -> None:
    assert get_args(Label) == LABELS
    assert (NO_ROLE, *get_args(Role)) == ROLES
