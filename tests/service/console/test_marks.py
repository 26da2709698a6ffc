from __future__ import annotations

from service.console.marks import marked


def span(role: str, start: int, end: int) -> dict[str, object]:
    return {"role": role, "start": start, "end": end}


def test_words_are_marked_by_role_and_everything_is_escaped() -> None:
    text = "refund the <b>fee</b>, not the cake"
    found = marked(text, [span("keep", 31, 35), span("refund", 11, 21)])
    assert found == (
        'refund the <mark class="refund" title="to refund">&lt;b&gt;fee&lt;/b&gt;</mark>, not the '
        '<mark class="keep" title="not to refund">cake</mark>'
    )


def test_spans_that_overlap_or_reach_past_the_excerpt_lose_no_letter() -> None:
    text = "abcdefghij"
    found = marked(text, [span("refund", 1, 6), span("keep", 4, 9)], 2, 8)
    assert found.striptags() == "cdefgh"
