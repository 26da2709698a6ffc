"""Where a mail stops being the writer's: attributions, header blocks, markers and quoted runs.

Every function looks at a bounded number of lines from the one it is asked about, so that a scan stays linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from service.intake import clients

MAX_ATTRIBUTION_LINES, MAX_ATTRIBUTION_CHARS = 4, 400
MAX_HEADER_LINES = 24
INVISIBLE = " \t\xa0\u200b\u200c\u200d\u2060\ufeff"
DIRECTION_MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
DASHES = "-‐‑‒–—―_=* \t"
HEADER_LIKE = re.compile(r"[^:：]{1,40}[:：]")
FIELD_NAME = re.compile(r"([^\W\d_]{2,12})\s?:(?=[\s*])")
MAX_HEADER_CHARS = 600
TITLED_HEADER = re.compile(r"\s?-{4,20}\s?([^-]{3,40}?)\s?-{4,20}\s?(\w.*)")
TABLE_GAP = re.compile(r"\s*\|\s*|\s{2,}")
PARTICLES = frozenset(("de", "del", "da", "di", "la", "van", "von", "der", "den", "y", "e", "und", "and", "-", "|"))
MAX_EVIDENCE_LINES = 400  # of a quoted run, read for signs of a mail client
LONG_QUOTED_CHARS = 30  # a shorter line of three may be a menu's or a list's
WRAPPED_CHARS = 60  # a quoted line of this length with a lower-case one below it was wrapped by a mail client

SENTENCE_ENDS = (".", "?", "!", "。", "？", "！")

Strength = Literal["strong", "weak"]  # strong: stands for itself; weak: only with a quoted line below it


class Line(NamedTuple):
    """A piece of one line of the body: its text, where it starts, and the line's number."""

    text: str
    start: int
    number: int

    @property
    def blank(self) -> bool:
        return not self.text or self.text.isspace() or not self.text.strip(INVISIBLE)

    @property
    def quoted(self) -> bool:
        return self.text.lstrip().startswith(">")

    def unquoted(self) -> Line:
        """Without one mark and the space after it."""
        rest = self.text.lstrip()[1:].removeprefix(" ")
        return Line(rest, self.start + len(self.text) - len(rest), self.number)


@dataclass(frozen=True)
class Boundary:
    """From `start` on stands another mail, whose words begin at `content`."""

    start: int
    content: int
    forward: bool  # it says so itself
    headers: bool  # it has a header block, so that it may be a forward


def next_filled(lines: list[Line], at: int) -> int:
    """The first line that is not blank, from `at` on; looks at eight lines at most."""
    for i in range(at, min(at + 8, len(lines))):
        if not lines[i].blank:
            return i
    return len(lines) if at + 8 >= len(lines) else at


def grade(text: str, *, closed: bool = False) -> Strength | None:
    """How surely a line such as `On 6 May 2024, Sam <sam@x.example> wrote:` opens a quote."""
    if not closed and not text.endswith((":", "：")):
        return None
    verb, address = clients.VERB.search(text), clients.ADDRESS.search(text)
    if clients.FIRST_PERSON.search(text) and not address:
        return None  # "What I wrote on 6 May:"
    dated, timed = clients.DATE.search(text) is not None, clients.TIME.search(text) is not None
    begun = clients.ATTRIBUTION_START.match(text) is not None
    bracketed = clients.BRACKETED_ADDRESS.search(text)
    if bracketed and ((verb and (dated or timed)) or (dated and timed)):
        before = text[: bracketed.start()].strip(" \"'*")
        writer = before.split()[-1:]
        if not verb and writer and writer[0].islower() and "@" not in writer[0]:
            return "weak" if begun else None  # a line of a log, not a name, where no quote stands below
        if begun or not before or is_name(before):
            return "strong"
    if begun and verb and address and dated and timed:
        return "strong"
    closes = verb is not None and (dated or not text[verb.end() :].strip(" :：)"))
    named = bracketed is not None and not text[bracketed.end() :].strip(" :：")
    return "weak" if closes or named or (dated and address) else None


def is_name(text: str) -> bool:
    """`Sam Lee`, `Ana de la Cruz`, `rick`; not `and the cake`."""
    words = text.strip(" \t,*").split()
    if not words or len(words) > 5 or text.rstrip().endswith((".", "!", "?", ":", "。")) or ":" in text:
        return False
    return len(words) == 1 or all(not word[0].islower() or word in PARTICLES for word in words)


def names_writer(text: str) -> bool:
    """`On 6 May 2024, at 10:00, Shop Support wrote:` is a mail client's; a writer's own would go on otherwise."""
    times, verb = list(clients.TIME.finditer(text)), clients.VERB.search(text)
    if not verb or not times or not clients.ATTRIBUTION_START.match(text) or not clients.DATE.search(text):
        return False
    between = text[times[-1].end() : verb.start()] if times[-1].end() < verb.start() else ""
    daytime = clients.DAYTIME.match(between)
    between = between[daytime.end() :] if daytime else between
    name = f"{between} {text[verb.end() :]}".strip(" ,:：")
    return name[:1].isupper() and is_name(name)


def attribution(lines: list[Line], at: int) -> tuple[int, Strength] | None:
    """The line after an attribution of one to four lines that starts at `at`, and its strength.

    It is `at` itself where the quoted words follow on the same line.
    """
    first = lines[at].text.translate(DIRECTION_MARKS).strip()
    inline = clients.INLINE_ATTRIBUTION.search(first[:MAX_ATTRIBUTION_CHARS])
    if inline and inline.end() < len(first) and clients.ATTRIBUTION_START.match(first) and not lines[at].quoted:
        head = first[: inline.start()]
        return (at, "strong") if clients.DATE.search(head) and clients.TIME.search(head) else None
    if len(first) > MAX_ATTRIBUTION_CHARS or lines[at].quoted:
        return None
    if first.startswith("--") and first.endswith("--"):  # Zoho
        said = first.strip(DASHES)
        alone: Strength | None = "strong" if names_writer(said) else grade(said, closed=True)
        return (at + 1, alone) if alone else None
    found = grade(first)
    if found:
        apart = (at == 0 or lines[at - 1].blank) and at + 1 < len(lines) and lines[at + 1].blank
        return at + 1, "strong" if apart and names_writer(first) else found
    if clients.DATE.match(first) and first.endswith(">") and clients.BRACKETED_ADDRESS.search(first):
        return at + 1, "weak"  # Gmail's of 2012: a date, a name and an address
    if first.endswith((":", "：")) or not clients.ATTRIBUTION_START.match(first):
        return None
    joined = first
    for end in range(at + 1, min(at + MAX_ATTRIBUTION_LINES, len(lines))):
        text = lines[end].text.translate(DIRECTION_MARKS).strip()
        if not text or lines[end].quoted or len(joined) + len(text) > MAX_ATTRIBUTION_CHARS:
            return None
        joined = f"{joined} {text}"
        if text.endswith((":", "：")):
            own_line = grade(text) == "strong"  # the lines above it are the writer's
            found = None if own_line else grade(joined)
            return (end + 1, found) if found else None
    return None


def after_inline(line: Line) -> Line:
    """A line without the attribution that it begins with, where quoted words follow on it."""
    found = clients.INLINE_ATTRIBUTION.search(line.text[:MAX_ATTRIBUTION_CHARS])
    rest = line.text[found.end() :].lstrip() if found else ""
    return Line(rest, line.start + len(line.text) - len(rest), line.number) if rest else line


def field(line: Line, *, in_table: bool = False) -> tuple[str, str] | None:
    """The role and the value of a header line such as `*Von:* Shop`; of NetEase's tables also `| Von | Shop |`."""
    text = line.text[:200].translate(DIRECTION_MARKS).strip().strip("*").lstrip().replace("：", ":", 1)
    name, mark, value = text.partition(":")
    if in_table and name.lower().strip() not in clients.FIELDS:
        name, mark, value = TABLE_GAP.sub("\0", text.strip("| ")).partition("\0")
    role = clients.FIELDS.get(name.strip(" *\t\xa0").replace("\u3000", "").lower()) if mark else None
    return (role, value.strip(" *")) if role else None


def header_block(lines: list[Line], at: int, *, marked: bool = False) -> int:
    """The line after the header block that starts at `at`, or 0; with `marked` one field is enough."""
    found: dict[str, str] = {}
    end = i = at
    misses = 0
    while i < min(at + MAX_HEADER_LINES, len(lines)) and misses <= 2:
        pair = None if lines[i].blank else field(lines[i], in_table=marked)
        if pair and pair[0] == "from" and "from" in found:
            break  # another mail's
        if pair:
            found.setdefault(*pair)
            end, misses = i + 1, 0
        elif not found:
            return 0
        elif lines[i].blank and {"from", "subject"} <= found.keys():
            break  # the end of it; a field further down is the mail's own
        else:
            misses += 1
        i += 1
    if marked:
        return end
    if "from" not in found or "subject" not in found:
        windows = {"from", "date", "to"} <= found.keys() and any("\u200e" in line.text for line in lines[at:end])
        return end if windows else 0  # a journey or a payment has a from, a to and a date too
    below = next_filled(lines, end)
    if below < len(lines) and clients.FORM_MESSAGE.match(lines[below].text[:80]):
        return 0  # a contact form's, whose words are the customer's
    if "@" in found["from"]:
        return end if "date" in found or "to" in found else 0
    date = found.get("date", "")
    timed = clients.DATE.search(date) and clients.TIME.search(clients.DATE.sub(" ", date))
    return end if timed else 0  # a journey's date has no time of day


def header_line(text: str) -> bool:
    """Whether all fields of a header block stand in one line: `*From:* Shop … *Sent:* … *To:* … *Subject:* …`."""
    text = text[:MAX_HEADER_CHARS]
    roles = [clients.FIELDS.get(name.lower()) for name in FIELD_NAME.findall(text)]
    complete = roles[:1] == ["from"] and {"date", "subject"} <= set(roles)
    return complete and "@" in text and clients.TIME.search(text) is not None


def marker(text: str) -> Literal["original", "forwarded"] | None:
    """`-----Original Message-----`, `Begin forwarded message:` and their like."""
    if len(text) > 200:
        return None
    stripped = text.replace("&nbsp;", " ").replace("\xa0", " ").strip()
    if not stripped or len(stripped) > 120:
        return None
    core = stripped.strip(DASHES)
    framed = stripped[:2].strip(DASHES) == "" and stripped[-2:].strip(DASHES) == "" and len(stripped) > len(core) + 3
    name = core.rstrip(":： ").lower()
    if framed and name in clients.ORIGINAL:
        return "original"
    if name in clients.FORWARDED and (framed or core.endswith((":", "："))):
        return "forwarded"
    return None


def is_rule(text: str, least: int = 2) -> bool:
    """A line of dashes or underscores alone."""
    stripped = text.strip()
    return len(stripped) >= least and not stripped.strip("-_—–")


def is_title(text: str) -> bool:
    """A few words between dashes, as above a quoted header in any language."""
    stripped = text.strip()
    framed = stripped[:100].startswith("---") and stripped.endswith("---")
    return framed and 0 < len(stripped.strip("- ").split()) <= 4


def boundary(lines: list[Line], at: int) -> Boundary | None:
    """The mail that starts at `at` and goes on to the end, if one does."""
    text = lines[at].text
    kind = marker(text)
    if kind:
        below = next_filled(lines, at + 1)
        head = lines[below : below + MAX_HEADER_LINES]
        if head and head[0].quoted:  # Apple Mail quotes what it forwards, with its header
            head = [line.unquoted() if line.quoted else line for line in head]
        size = header_block(head, 0, marked=True) if head else 0
        content = below + size if size else 0
        if not size and text.replace("&nbsp;", " ").strip(DASHES).lower() == "original":
            return None
        if not content and kind == "forwarded" and not text.strip().startswith(("-", "=", "_", "‐")):
            return None  # "I got the forwarded message:" in the writer's own line
        if not content and below < len(lines):
            named = attribution(lines, below)
            content = named[0] if named and not lines[below].quoted else 0
            told = kind == "original" and not content
            if told and not lines[below].quoted and not HEADER_LIKE.match(lines[below].text):
                return None  # a writer who tells of the line
        if content:
            again = next_filled(lines, content)
            content = again + 1 if again < len(lines) and marker(lines[again].text) == "forwarded" else content
        return Boundary(at, content or at + 1, kind == "forwarded", content > 0)
    if clients.REPLY_ABOVE.fullmatch(text.strip()[:MAX_ATTRIBUTION_CHARS]):
        return Boundary(at, at + 1, forward=False, headers=False)
    if is_rule(text, least=3) or is_title(text):
        below = next_filled(lines, at + 1)
        content = header_block(lines, below) if below < len(lines) else 0
    else:
        content = header_block(lines, at) if ":" in text[:40] or "：" in text[:40] else 0
    glued = TITLED_HEADER.match(text[:MAX_HEADER_CHARS])
    if glued and glued[1].lower() in clients.ORIGINAL and header_line(glued[2]):  # Samsung, its line ends lost
        content = at + 1
    if not content and ":" in text[:40] and header_line(text):
        content = at + 1
    return Boundary(at, content, forward=False, headers=True) if content else None


def run_end(lines: list[Line], at: int) -> int:
    """The line after a run of quoted lines, with the blank lines inside it."""
    end = i = at
    while i < len(lines) and (lines[i].quoted or lines[i].blank):
        i += 1
        if lines[i - 1].quoted:
            end = i
    return end


def bare(line: Line) -> str:
    """A quoted line's words without its marks."""
    return line.text.lstrip("> \t").rstrip()


def quoted_heading(lines: list[Line], start: int, end: int) -> set[int]:
    """The lines at the head of a quoted run that name its writer: Apple Mail quotes its attribution too."""
    head = [Line(bare(line), line.start, line.number) for line in lines[start : min(end, start + MAX_HEADER_LINES)]]
    found = attribution(head, 0)
    size = found[0] if found else header_block(head, 0)
    if not size and clients.DATE.search(head[0].text):
        size = header_block(head, 1)  # Orange: `> Message du 06/05/24 10:00` above the fields
    if not size and marker(head[0].text):
        size = 1 + (header_block(head[1:], 0, marked=True) if len(head) > 1 else 0)
    return set(range(start, start + size))


def is_quote(lines: list[Line], start: int, end: int, *, answer: bool) -> bool:
    """Whether a run of ">" lines without an attribution was made by a mail client, and is not a list or a price.

    In an answer it is one where a line of it is a whole sentence; of any other mail the run itself has to show it.
    """
    run = [line.text.strip() for line in lines[start : min(end, start + MAX_EVIDENCE_LINES)] if not line.blank]
    if quoted_heading(lines, start, end):
        return True
    if len(run) >= 2 and any(text[1:].lstrip().startswith(">") for text in run):
        return True
    parted = ">" in run[1:-1] and (len(run) > 3 or max(map(len, run)) >= LONG_QUOTED_CHARS)
    if len(run) >= 3 and (parted or clients.GREETING.match(run[0].lstrip("> "))):
        return True
    if answer and not is_cited(lines, start) and any(text.endswith(SENTENCE_ENDS) for text in run):
        return True
    pairs = zip(run, run[1:], strict=False)
    return any(len(above) >= WRAPPED_CHARS and below.lstrip("> ")[:1].islower() for above, below in pairs)


def is_cited(lines: list[Line], start: int) -> bool:
    """Whether the writer leads into a run of ">" lines in words of their own: `You promised on your site:`."""
    above = next(
        (
            line.text[:MAX_ATTRIBUTION_CHARS].strip()
            for line in reversed(lines[max(start - 2, 0) : start])
            if not line.blank
        ),
        "",
    )
    told = (clients.VERB, clients.ADDRESS, clients.ANSWERS_INSIDE)
    named = any(pattern.search(above) for pattern in told) or any(map(str.isdigit, above)) or above.startswith(">")
    return above.endswith((":", "：")) and not named


def interleaved(lines: list[Line]) -> bool:
    """Whether two quoted questions or more have an answer right below them."""
    answered = 0
    for line, below in zip(lines, lines[1:], strict=False):
        asked = line.text.endswith(("?", "？", " ")) and line.quoted and bare(line).endswith(("?", "？"))
        answered += asked and not below.blank and not below.quoted
    return answered >= 2
