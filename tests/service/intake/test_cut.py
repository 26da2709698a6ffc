"""The customer's own words, over the bodies in threads/ and over what Hypothesis builds of their pieces."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from service.intake.cut import Hints, OwnWords, own_words
from service.intake.html import HtmlText, read_html

FOLDER = Path(__file__).parent / "threads"


@dataclass(frozen=True)
class Thread:
    id: str
    language: str
    client: str
    body: str
    text: str
    context: str | None
    kinds: frozenset[str]
    quoted: frozenset[int]

    def read(self) -> OwnWords:
        return own_words(self.body, Hints(quoted=self.quoted))


def threads() -> list[Thread]:
    """Every fixture, from a body or from HTML; in a file that says `keeps: true` nothing of any body may be cut."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        page = yaml.safe_load(path.read_text("utf-8"))
        for case in page["cases"]:
            shown = HtmlText(case["body"], whole=True) if "body" in case else read_html(case["html"])
            found.append(
                Thread(
                    f"{path.stem}-{case['id']}",
                    case.get("language", page["language"]),
                    case.get("client", "any"),
                    shown.text,
                    shown.text if page.get("keeps") else case["text"],
                    case.get("context"),
                    frozenset(case.get("kinds", [])),
                    shown.quoted,
                )
            )
    return found


THREADS = threads()
LINES = sorted({line for thread in THREADS for line in thread.body.split("\n")})
PIECES = st.one_of(st.sampled_from(LINES), st.text(max_size=20), st.sampled_from(["", "> ", "-- ", "On ", "\r"]))
BODIES = st.lists(PIECES, max_size=25).map("\n".join)


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: thread.id)
def test_the_customers_words_remain_and_nothing_else(thread: Thread) -> None:
    assert thread.read().text == thread.text


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: thread.id)
def test_the_context_is_the_quoted_question(thread: Thread) -> None:
    assert thread.read().context == thread.context


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: thread.id)
def test_the_parts_say_what_was_cut(thread: Thread) -> None:
    assert {part.kind for part in thread.read().parts} == thread.kinds


def test_the_fixtures_cover_at_least_fourteen_languages_and_two_hundred_traps() -> None:
    assert len(THREADS) >= 700
    assert len({thread.language for thread in THREADS}) >= 14
    assert sum(not thread.kinds for thread in THREADS) >= 200


@given(BODIES)
@settings(max_examples=150, deadline=None)
def test_reading_twice_changes_nothing(body: str) -> None:
    text = own_words(body).text
    assert own_words(text).text == text


@given(BODIES)
@settings(max_examples=150, deadline=None)
def test_the_text_is_made_of_pieces_of_the_body_in_order(body: str) -> None:
    at = 0
    for line in own_words(body).text.split("\n"):
        at = body.find(line, at)
        assert at >= 0
        at += len(line)


@given(BODIES)
@settings(max_examples=150, deadline=None)
def test_the_parts_lie_in_the_body_in_order_and_apart(body: str) -> None:
    end = 0
    for part in own_words(body).parts:
        assert body[part.start : part.end] == part.text
        assert end <= part.start <= part.end
        end = part.end


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_text_makes_it_fail(body: str) -> None:
    own_words(body)


def test_a_shuffled_thread_never_fails() -> None:
    dice = random.Random(4)
    for thread in THREADS:
        lines = thread.body.split("\n")
        dice.shuffle(lines)
        own_words("\n".join(lines))
