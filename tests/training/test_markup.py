from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.markup import MarkedSpan, MarkupError, parse, render


def test_marks_become_offsets_into_the_bare_text() -> None:
    text, spans = parse("Refund the [refund:fee], not the [keep:cake].")
    assert text == "Refund the fee, not the cake."
    assert [(s.role, text[s.start : s.end]) for s in spans] == [("refund", "fee"), ("keep", "cake")]


@pytest.mark.parametrize("broken", ["a [refund:fee", "a [refund:the [keep:cake]]", "[refund fee]", "[keep: cake]"])
def test_broken_marks_are_refused(broken: str) -> None:
    with pytest.raises(MarkupError):
        parse(broken)


@given(st.lists(st.tuples(st.text("ab ,.", max_size=8), st.text("xyz", min_size=1, max_size=6)), max_size=5))
def test_rendering_undoes_parsing(pieces: list[tuple[str, str]]) -> None:
    marked = "".join(f"{before}[refund:{words}]" for before, words in pieces)
    assert render(*parse(marked)) == marked


def test_other_brackets_are_text() -> None:
    assert parse("[image] see [1]") == ("[image] see [1]", ())
    assert render("ab", (MarkedSpan("keep", 1, 2),)) == "a[keep:b]"
