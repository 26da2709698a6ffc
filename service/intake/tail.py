"""What stands under a reply: signatures, legal footers, and what a phone or a web mailer adds.

Every look goes back a bounded number of lines from the end, so that the work is linear in what is cut.
"""

from __future__ import annotations

import re
from typing import Literal

from service.intake import clients
from service.intake.threads import Line, is_name, is_rule

SEGMENT = re.compile(r"\s[|/•·–-]\s|[,|(]")  # between a name and a title on one line
TailKind = Literal["signature", "footer", "mobile_signature"]

MAX_PIECES = 16  # a mail with more under it was not made by mail programs
MAX_SIGNATURE_LINES = 12
MAX_SIGNATURE_CHARS = 80  # a longer line is a sentence
MAX_SIGNATURE_WORDS = 9
MAX_RULES_LINES = 30
MAX_FOOTER_LINES, MAX_FOOTER_PARAGRAPHS = 60, 5
MAX_MODEL_DIGITS = 5
MAX_DEVICE_WORDS = 7
MAX_LINE_CHARS = 4_000


def tail(lines: list[Line], start: int, end: int) -> list[tuple[int, int, TailKind]]:
    """The pieces (start, end, kind) to cut from the end of lines[start:end], from the last upwards."""
    cuts: list[tuple[int, int, TailKind]] = []
    whole_end = end
    while len(cuts) < MAX_PIECES:
        while end > start and lines[end - 1].blank:
            end -= 1
        if end == start:
            return cuts
        found = (
            trailing_rule(lines, end, cuts)
            or mobile(lines, start, end)
            or footer(lines, start, end)
            or dashed_signature(lines, start, end)
            or (dashed_name(lines, start, end) if cuts or whole_end < len(lines) else None)
            or closing_block(lines, start, end)
        )
        if found is None:
            return cuts
        cuts.append((found[0], end, found[1]))
        end = found[0]
    return cuts


def trailing_rule(lines: list[Line], end: int, cuts: list[tuple[int, int, TailKind]]) -> tuple[int, TailKind] | None:
    """A line of dashes with nothing left under it goes with what stood there."""
    return (end - 1, cuts[-1][2] if cuts else "signature") if is_rule(lines[end - 1].text) else None


def is_mobile(text: str) -> bool:
    """`Sent from my iPhone`, but not `Sent from my phone shop on Monday`, nor a line that goes on with other words."""
    stripped = text.strip(" \t*_<>[]-")
    if len(stripped) > 160:
        return False
    if clients.MOBILE_WHOLE.fullmatch(stripped) or clients.GET_APP.fullmatch(stripped):
        return True
    found = clients.MOBILE.match(stripped)
    if not found or clients.ARTICLE.search(found["between"]):
        return False  # `Sent with the wrong phone`
    rest = found["rest"]
    if sum(character.isdigit() for character in rest) > MAX_MODEL_DIGITS and "http" not in rest:
        return False  # a telephone number, not a telephone
    first, *more = clients.SENTENCE_GAP.split(clients.LINK.sub(" ", clients.DEVICE_END.sub("", rest, count=1)))
    return is_of_device(first, named=True) and all(is_of_device(piece, named=False) for piece in more)


def is_of_device(piece: str, *, named: bool) -> bool:
    """Whether a mail program writes this after a device: what it is or runs, an excuse, an app to get. Where `named`,
    words with a capital may be its name; every other word is the writer's."""
    piece = piece.strip(" \t-–|.,()<>[]")
    if clients.EXCUSE.fullmatch(piece) or clients.GET_APP.fullmatch(piece):
        return True
    head, _, excuse = piece.partition(" - ") if " - " in piece else piece.partition(", ")
    if excuse and clients.EXCUSE.fullmatch(excuse.strip()):
        return is_of_device(head, named=named)
    words = [word for word in piece.split() if not clients.DEVICE_WORD.fullmatch(word)]
    own = any(word[0].islower() or clients.CJK.search(word) for word in words)
    return not words or (named and len(piece.split()) <= MAX_DEVICE_WORDS and not own)


def mobile(lines: list[Line], start: int, end: int) -> tuple[int, TailKind] | None:
    last = end - 1
    if last > start and lines[last].text.strip().startswith(("<http", "http", "[http")):
        last -= 1  # the address of an app's page, wrapped
    return (last, "mobile_signature") if is_mobile(lines[last].text) else None


def short(line: Line) -> bool:
    """Short enough for a line of a signature; the groups of a phone number are no words."""
    words = [word for word in line.text[: MAX_SIGNATURE_CHARS + 1].split() if word.lower() != word.upper()]
    return len(line.text) <= MAX_SIGNATURE_CHARS and len(words) <= MAX_SIGNATURE_WORDS


def dashed_signature(lines: list[Line], start: int, end: int) -> tuple[int, TailKind] | None:
    """From the last `-- ` on (RFC 3676, section 4.3); another line of dashes must have a name or an address under it.

    Dashes that come back are the writer's own rules between his points.
    """
    for at in range(end - 1, max(start, end - MAX_SIGNATURE_LINES - 1) - 1, -1):
        text = lines[at].text
        if not (is_rule(text) or text.strip() in ("—", "–")) or len(text.strip()) > 60:
            continue
        below = [line for line in lines[at + 1 : end] if not line.blank]
        exact = text in ("-- ", "--\xa0")
        rules = sum(is_rule(line.text) for line in lines[max(start, at - MAX_RULES_LINES) : at])
        if not below or rules > exact or any(clients.CASE.search(line.text[:MAX_LINE_CHARS]) for line in below):
            return None
        if exact:
            return (at, "signature") if sum(len(line.text) for line in below) <= 1_000 else None
        contact = any(clients.PERSONAL.search(line.text[:MAX_LINE_CHARS]) for line in below)
        named = text.strip() in ("--", "—", "–") and is_name(below[0].text)
        spoken = any(is_spoken(line) for line in below)
        return (at, "signature") if all(short(line) for line in below) and (contact or named) and not spoken else None
    return None


def dashed_name(lines: list[Line], start: int, end: int) -> tuple[int, TailKind] | None:
    """`-Grace Holloway` alone under a finished sentence, above a quote or a footer; not the one point of a list, nor
    its last."""
    text = lines[end - 1].text.strip()
    name, above = text[1:], end - 2
    if text[:1] not in ("-", "–", "—", "~") or not name[:1].isupper() or not is_name(name) or len(name.split()) > 3:
        return None
    if above < start or not lines[above].blank or not name.replace(" ", "").replace("-", "").isalpha():
        return None
    while above > start and lines[above].blank:
        above -= 1
    told = lines[max(start, end - MAX_RULES_LINES) : above + 1]
    listed = any(line.text.lstrip().startswith(text[0]) for line in told)
    return (end - 1, "signature") if lines[above].text.rstrip().endswith((".", "!", "?")) and not listed else None


def closing_block(lines: list[Line], start: int, end: int) -> tuple[int, TailKind] | None:
    """A farewell, a name, and under them a phone, an address or a company; without these it is the customer's."""
    for at in range(end - 1, max(start, end - MAX_SIGNATURE_LINES - 1) - 1, -1):
        line = lines[at]
        if line.blank:
            continue
        if not short(line) or clients.CASE.search(line.text):
            return None
        text = line.text.strip(" \t*_")
        found = clients.CLOSING.match(text)
        rest = text[found.end() :] if found else ""
        if not found or rest[:1].isalnum() or len(rest.split()) > 4:
            continue
        below = [line for line in lines[at + 1 : end] if not line.blank]
        if len(below) >= 2 or (len(below) == 1 and rest.strip(" ,.!")):
            contact = any(clients.CONTACT.search(line.text) for line in below)
            named = is_name(SEGMENT.split(below[0].text)[0]) or rest.strip(" ,.!。、！") != ""
            spoken = any(is_spoken(line) for line in below)
            return (at, "signature") if contact and named and not spoken else None
    return None


def footer(lines: list[Line], start: int, end: int) -> tuple[int, TailKind] | None:
    """The last paragraphs, from the first that is legal talk, if those under it are no customer's words either."""
    cut: int | None = None
    bottom, least = end, max(start, end - MAX_FOOTER_LINES)
    for _ in range(MAX_FOOTER_PARAGRAPHS):
        top = bottom
        while top > least and not lines[top - 1].blank:
            top -= 1
        if top == bottom:
            break
        at = legal_start(lines, top, bottom)
        if at is not None:
            cut = at
        elif not is_rule(lines[top].text) and not is_legal_rest(lines, top, bottom):
            break
        if at is not None and at > top:
            break
        while top > least and lines[top - 1].blank:
            top -= 1
        bottom = top
    return (cut, "footer") if cut is not None else None


def is_legal_rest(lines: list[Line], top: int, bottom: int) -> bool:
    """A paragraph that goes on from legal talk above it, and would not be known alone."""
    text = " ".join(line.text[:MAX_LINE_CHARS] for line in lines[top : min(bottom, top + 12)])[:MAX_LINE_CHARS]
    legal = (clients.FOOTER, clients.SECRET, clients.ADDRESSEE)
    own = clients.CASE.search(text) or clients.FIRST_PERSON.search(text)
    return not own and any(pattern.search(text) for pattern in legal)


def is_spoken(line: Line) -> bool:
    """A line under a farewell that goes on talking: `but the plate was broken`, `my phone is …`."""
    words = [word for word in line.text[:MAX_LINE_CHARS].split() if word[0].isalpha()]
    small = sum(word[0].islower() for word in words)
    return line.text.rstrip().endswith(("?", "!", "。", "？", "！")) or (len(words) >= 4 and 2 * small > len(words))


def is_footer_line(text: str) -> bool:
    """The line opens a footer known by its first words."""
    if clients.FIRST_PERSON.search(text) or clients.CASE.search(text[:200]):
        return False
    if clients.UNSUBSCRIBE.match(text):
        told = clients.NOT_WORKING.search(text) is not None
        return not told and (clients.WHERE_TO_CLICK.search(text) is not None or text.lower() == "unsubscribe")
    return clients.FOOTER.match(text) is not None


def is_secrecy(texts: list[str]) -> bool:
    """Whether these lines call a mail confidential and its addressee's; a customer's own have an "I" in them."""
    whole = " ".join(texts)[:MAX_LINE_CHARS]
    if not clients.SECRET.search(whole) or not clients.ADDRESSEE.search(whole) or clients.FIRST_PERSON.search(whole):
        return False
    near = texts[0] if texts[0].endswith((".", "!", "?", "。")) else " ".join(texts[:2])
    begins = clients.SECRET.search(near) or clients.ADDRESSEE.search(near)
    return begins is not None and not clients.CASE.search(texts[0][:200])


def legal_start(lines: list[Line], top: int, bottom: int) -> int | None:
    """The line of a paragraph from which on it is legal talk: its first, or one below a finished sentence."""
    texts = [line.text[:MAX_LINE_CHARS].strip(" \t*_>|") for line in lines[top:bottom]]
    for i, text in enumerate(texts):
        if i and not texts[i - 1].endswith((".", "!", "?", "。", ",")) and not is_rule(lines[top + i - 1].text):
            continue
        if is_footer_line(text) or is_secrecy(texts[i : i + 12]):
            return top + i
    return None
