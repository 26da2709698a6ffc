from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from model.checks.baseline import Comparison, compare, from_run
from model.checks.cases import Case, Side, StructuralCase, SwapCase
from model.checks.figures import PairFigures, bag, control_figures, gap_histogram, pair_figures, rates
from model.checks.page import bars, marked_words, to_html
from model.checks.results import CaseResult, Control, Reading, RunResult
from model.checks.schema import Suite
from model.spans import Span

FEE, ITEM = "refund_fee", "refund_item"


def pair(
    name: str, labels: tuple[str, str], gap: float, texts: tuple[str, str] = ("fee, not cake", "cake, not fee")
) -> CaseResult:
    """A swap pair of a fee and a thing that was read as `labels`."""
    a, b = Side(text=texts[0], label=FEE), Side(text=texts[1], label=ITEM)
    case = SwapCase(id=name, kind="swap", a=a, b=b, capability="contrast", group="g")
    sides = zip("ab", (a, b), labels, strict=True)
    readings = tuple(Reading(side.text, side.label, label, 0.9, which) for which, side, label in sides)
    passed = labels == (FEE, ITEM)
    return CaseResult(case, passed, "" if passed else "wrong", readings, gap)


def run(*results: CaseResult, version: str = "new") -> RunResult:
    cases: tuple[Case, ...] = tuple(result.case for result in results)
    return RunResult(Suite("s", "About <this>.", {"default": 0.0}, cases, "x"), version, results, 1.0)


RIGHT = pair("right", (FEE, ITEM), 0.95)
MISTAKE = pair("mistake", (ITEM, ITEM), 0.0, ("tip or tea", "tea or tip"))
LOOSE = pair("loose", (FEE, ITEM), 0.8, ("the fee please", "the cake please"))
CROSSED = pair("crossed", (ITEM, FEE), 0.8, ("tax or mug", "mug or tax"))


def test_pairs_are_counted_and_the_ceiling_is_that_of_a_perfect_reader_of_bags() -> None:
    # Four pairs; three have equal bags, of which a bag reader gets one side each; the loose one it gets whole.
    assert pair_figures([run(RIGHT, MISTAKE, LOOSE, CROSSED)]) == PairFigures(4, 0.5, 0.25, 0.75, 0.25, 5 / 8)
    assert pair_figures([run()]) is None


def test_a_bag_is_words_without_order_capitals_and_signs() -> None:
    assert bag("Refund the fee, not the cake!") == bag("not THE cake: the fee refund")
    assert bag("the fee the fee") != bag("the fee")


def test_the_histogram_holds_every_pair_once_and_its_ends_too() -> None:
    counts = gap_histogram([run(RIGHT, MISTAKE, LOOSE, CROSSED, pair("one", (FEE, ITEM), 1.0))])
    assert (counts[0], counts[16], counts[19], sum(counts)) == (1, 2, 2, 5)
    drawn = bars(counts)
    assert [bar["count"] for bar in drawn] == counts
    assert max(bar["height"] for bar in drawn) == drawn[16]["height"] == 2 * drawn[0]["height"]


def test_rates_are_of_whatever_is_asked() -> None:
    found = rates([RIGHT, MISTAKE, LOOSE], lambda result: result.case.id[0])
    assert {(rate.name, rate.passed, rate.total) for rate in found} == {("r", 1, 1), ("m", 0, 1), ("l", 1, 1)}


def controlled(blind: str, sighted: bool, blind_ratio: float) -> CaseResult:
    side = {"text": "x y", "label": FEE}
    case = StructuralCase.model_validate({"id": "c", "kind": "structural", "blind": blind, "a": side, "b": side})
    return CaseResult(case, True, "", RIGHT.readings, 0.5, Control(blind, sighted, blind_ratio))


def test_the_control_says_how_much_is_lost_without_order() -> None:
    results = [controlled("positions", True, 0.0), controlled("shuffle", True, 0.25), controlled("shuffle", False, 0.0)]
    positions, shuffle = control_figures([run(*results)])
    assert (positions.pairs, positions.sighted, positions.blinded) == (1, 1.0, 0.0)
    assert (shuffle.pairs, shuffle.sighted, shuffle.blinded) == (2, 0.5, 0.125)


def test_spans_are_marked_by_name_and_markup_in_a_mail_stays_text() -> None:
    text = "<b>fee</b> & cake"
    spans = (Span("keep", "cake", 13, 17, 0.9), Span("refund", "fee", 3, 6, 0.9))
    marked = str(marked_words(Reading(text, None, FEE, 0.9, spans=spans)))
    assert marked == (
        '&lt;b&gt;<mark class="refund">fee<small> refund</small></mark>&lt;/b&gt; &amp; '
        '<mark class="keep">cake<small> keep</small></mark>'
    )


@pytest.fixture(scope="module")
def page() -> str:
    now = run(RIGHT, MISTAKE, LOOSE, controlled("positions", True, 0.0))
    was = run(pair("right", (ITEM, ITEM), 0.0), pair("mistake", (FEE, ITEM), 0.9), LOOSE, version="old")
    comparison: Comparison = compare(now, from_run(was))
    return to_html([now], {"s": comparison})


class _Page(HTMLParser):
    """Collects what the page refers to, its ids and its unclosed elements."""

    VOID = frozenset({"meta", "input", "br", "rect", "line"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        self.outside += [str(values[name]) for name in ("src", "href") if name in values]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_whole_well_formed_and_needs_nothing_beside_it(page: str) -> None:
    parsed = _Page()
    parsed.feed(page)
    assert parsed.open == []
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert all(target.startswith("#") and target[1:] in parsed.ids for target in parsed.outside)
    assert "url(" not in page
    for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(drawing)


def test_the_page_shows_every_case_and_what_broke_and_mended(page: str) -> None:
    broken, mended = page.split("<h4>Newly broken</h4>")[1].split("<h4>Newly mended</h4>")
    assert "<b>mistake</b>" in broken
    assert "<b>right</b>" not in broken
    assert "<b>right</b>" in mended.split('id="cases"')[0]
    assert re.search(r'<th scope="row">g</th>\s*<td class="number">1</td><td class="number">1</td>', page)  # by group
    cases = page.split('id="cases"')[1]
    assert re.findall(r"<b>(\w+)</b>\s+(?:swap|structural)", cases) == ["mistake", "right", "loose", "c"]
    assert "About &lt;this&gt;." in page


def test_the_page_says_its_language_its_title_and_names_its_plot_for_those_who_do_not_see_it(page: str) -> None:
    assert '<html lang="en">' in page
    assert "<title>Order checks of new</title>" in page
    assert 'role="img" aria-labelledby="gaps-title"' in page
    assert page.count("<th scope=") == page.count("<th ")


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    digits = colour * 2 if len(colour) == 3 else colour
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_text_colour_stands_out_from_what_is_behind_it_in_light_and_in_dark(page: str) -> None:
    for block in re.findall(r":root \{(.*?)\}", page, re.DOTALL):
        colours = dict(re.findall(r"--(\w+): #(\w+);", block))
        for behind in ("paper", "soft", "refund", "keep", "replace"):
            assert contrast(colours["ink"], colours[behind]) >= 4.5, behind
        for text in ("good", "bad"):
            assert contrast(colours[text], colours["paper"]) >= 4.5, text
        assert contrast(colours["bar"], colours["paper"]) >= 3
