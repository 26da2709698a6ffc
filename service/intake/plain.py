"""Plain text as it was meant: flowed lines joined, clear-signed armour taken off."""

from __future__ import annotations

import re
from collections import Counter

ARMOUR_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
ARMOUR_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
ARMOUR_MESSAGE = "-----BEGIN PGP MESSAGE-----"
DASH_ESCAPE = re.compile(r"^- ", re.MULTILINE)
STAND_IN = re.compile(
    r"\bhtml\b|\bbrowser\b|\bnavigat(?:eur|ore)\b|\bnavegador\b|浏览器|瀏覽器|ブラウザ", re.IGNORECASE
)
STAND_IN_CHARACTERS = 400
WORDS = re.compile(r"\w+")
QUOTED_RUN = re.compile(r"^>.*(?:\n>.*)*", re.MULTILINE)
AUTHORS = "\u2060>"  # a ">" of the writer's at the begin of a line, parted from a quoting program's
QUOTE_MARKS = re.compile(r">*")


def unflow(text: str, *, delete_space: bool) -> str:
    """format=flowed to whole paragraphs (RFC 3676, section 4); quote depths stay as `> ` marks."""
    joined: list[str] = []
    open_depth, pieces = -1, [""]
    for line in text.split("\n"):
        marks = QUOTE_MARKS.match(line)
        depth = len(marks.group()) if marks is not None else 0
        content = line[depth:].removeprefix(" ")  # space-stuffing
        if not depth and content.startswith(">"):
            content = content.replace(">", AUTHORS, 1)
        flows = content.endswith(" ") and content != "-- "
        if open_depth >= 0 and (depth != open_depth or content == "-- "):
            joined.append(_quoted(open_depth, "".join(pieces)))
            open_depth = -1
        if open_depth < 0:
            open_depth, pieces = depth, []
        pieces.append(content[:-1] if flows and delete_space else content)
        if not flows:
            joined.append(_quoted(open_depth, "".join(pieces)))
            open_depth = -1
    if open_depth >= 0:
        joined.append(_quoted(open_depth, "".join(pieces)))
    return "\n".join(joined)


def _quoted(depth: int, content: str) -> str:
    return f"{'>' * depth} {content}".rstrip() if depth else content


def without_armour(text: str) -> str:
    """The words of an OpenPGP clear-signed text (RFC 9580, section 7), with whatever stood around it."""
    before, begin, rest = text.partition(ARMOUR_SIGNED)
    if not begin:
        return text
    body = rest.partition("\n\n")[2]  # the armour's own headers end at an empty line
    body, signature, after = body.partition(ARMOUR_SIGNATURE)
    after = after.partition("-----END PGP SIGNATURE-----")[2] if signature else ""
    return f"{before}{DASH_ESCAPE.sub('', body)}{after}".strip("\n")


def unmarked(text: str) -> str:
    return text.replace(AUTHORS, ">")


def without_mbox_marks(text: str) -> str:
    """Without the ">" that mailboxes set before a line that begins with "From " (RFC 4155), where no other quoted line
    stands beside it; a quoting program's own lines stay."""
    return QUOTED_RUN.sub(_unescaped, text) if ">From " in text else text


def _unescaped(run: re.Match[str]) -> str:
    lines = run.group().split("\n")
    escaped = all(line.startswith(">From ") for line in lines)
    return "\n".join(line[1:] for line in lines) if escaped else run.group()


def holds(words: list[str], others: list[str]) -> bool:
    """Whether all others stand among the words, in their order."""
    left = iter(words)
    return all(other in left for other in others)


def lacks(text: str, html_text: str) -> bool:
    """Whether the HTML has words more, or some more often."""
    return bool(Counter(WORDS.findall(html_text.lower())) - Counter(WORDS.findall(text.lower())))


def begins(text: str, html_text: str) -> bool:
    """Whether the HTML goes on where a text ends: all its words, the last perhaps cut short, and more."""
    words, others = WORDS.findall(text.lower()), WORDS.findall(html_text.lower())
    if not words or len(others) < len(words):
        return False
    *whole, last = words
    more = len(others) > len(words) or others[len(whole)] != last
    return more and others[: len(whole)] == whole and others[len(whole)].startswith(last)


def may_stand_in(text: str) -> bool:
    """Whether a text may only say that the HTML is to be read: `This mail needs an HTML viewer.`"""
    return len(text) <= STAND_IN_CHARACTERS and STAND_IN.search(text) is not None


def is_stand_in(text: str, html_text: str) -> bool:
    """Whether it does: it has less than half of its words from the HTML's."""
    words = set(WORDS.findall(text.lower()))
    return len(words & set(WORDS.findall(html_text.lower()))) < len(words) / 2


def is_encrypted(text: str) -> bool:
    """Whether an OpenPGP message is all the text there is."""
    return text.lstrip().startswith(ARMOUR_MESSAGE)
