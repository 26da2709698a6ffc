"""Corrected mails as training mails: `Refund the [refund:fee], not the [keep:cake].` (training/corpus/GUIDE.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

LIKE_A_MARK = re.compile(r"\[(?=(?:refund|keep|replace)\b)")
ROUND = str.maketrans("[]", "()")


def marked(text: str, spans: Iterable[Mapping[str, Any]]) -> str:
    """The text with its spans marked. The format has no escape, so what a reader would take for a mark becomes round:
    a square bracket of the customer's before a role's name, and those inside a span. No offset moves by that."""
    pieces, read = [], 0
    safe = LIKE_A_MARK.sub("(", text)
    for span in sorted(spans, key=lambda span: span["start"]):
        words = safe[span["start"] : span["end"]].translate(ROUND)
        pieces += [safe[read : span["start"]], f"[{span['role']}:{words}]"]
        read = span["end"]
    return "".join([*pieces, safe[read:]])
