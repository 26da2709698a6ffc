"""The customer's own words: a mail's text without quotes, forwarded headers, signatures and footers.

A mail is read line by line, downwards for where another's words begin (threads.py) and upwards for what stands under
the writer's (tail.py), by the words of mail clients (clients.py). When in doubt a line is kept. mail-parser-reply,
quotequail and email-reply-parser were compared with it (tests/benchmarks/cut_replies.py): each takes words from
customers, and none says where in the body the cut pieces stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from service.intake import clients
from service.intake.deadline import checkpoint
from service.intake.tail import tail
from service.intake.threads import (
    Boundary,
    Line,
    after_inline,
    attribution,
    bare,
    boundary,
    interleaved,
    is_quote,
    is_rule,
    marker,
    next_filled,
    quoted_heading,
    run_end,
)

CutKind = Literal["quote", "forwarded", "signature", "footer", "mobile_signature", "header"]

MAX_PASSES = 5  # what is left is read again until nothing more is cut; a mail that needs more is kept whole
MAX_FORWARDS = 5  # forwards of forwards that are opened
MAX_ANSWER_WORDS = 25  # a reply of no more words is understood only with what it answers
MAX_POINTER_WORDS = 30  # a longer note above a forward is a mail of its own


@dataclass(frozen=True)
class CutPart:
    """A piece of the body that is not the customer's own words; start and end are character offsets into the body."""

    kind: CutKind
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class OwnWords:
    """What the customer wrote, what it answers (another's words, without quote marks), and what was cut."""

    text: str
    context: str | None
    parts: tuple[CutPart, ...]


@dataclass(slots=True)
class Run:
    """Lines first to last of the body, its characters start to end, cut as one kind."""

    first: int
    last: int
    start: int
    end: int
    kind: CutKind


@dataclass
class Reading:
    """One look over the lines: a kind for each line that is to go, None for the writer's own."""

    lines: list[Line]
    kinds: list[CutKind | None]
    named: set[int] = field(default_factory=set)  # lines that only say who wrote what follows

    def mark(self, start: int, end: int, kind: CutKind) -> None:
        self.kinds[start:end] = [kind] * (end - start)

    def peel(self, start: int, end: int) -> None:
        """Marks what stands under the writer's words in [start, end), none of which is marked yet."""
        for top, bottom, kind in tail(self.lines, start, end):
            self.mark(top, bottom, kind)

    def runs(self) -> list[Run]:
        """The marked lines, those of one kind that follow one another in the body taken together."""
        found: list[Run] = []
        last: CutKind | None = None
        for (text, start, number), kind in zip(self.lines, self.kinds, strict=True):
            if kind is not None:
                if kind != last or number != found[-1].last + 1:
                    found.append(Run(number, number, start, start, kind))
                found[-1].last, found[-1].end = number, start + len(text)
            last = kind
        return found

    def own(self, start: int = 0, end: int | None = None) -> list[Line]:
        pairs = zip(self.lines[start:end], self.kinds[start:end], strict=True)
        return [line for line, kind in pairs if kind is None and not line.blank]


@dataclass(frozen=True)
class Hints:
    """What is known of a body beside its words: whether it is sent on, whether it answers a mail, and the numbers of
    the lines whose ">" stands for an element of its HTML."""

    forward: bool = False
    answer: bool = False
    quoted: frozenset[int] = frozenset()


NO_HINTS = Hints()


def own_words(body: str, hints: Hints = NO_HINTS) -> OwnWords:
    """Parts a reply from what its writer did not write; text is made of the body's own pieces, in order.

    Line ends become "\\n", blank lines at both ends and doubled ones around a cut go. Where nothing but quotes is left,
    text is empty and context holds them; where nothing but a signature is left, all of it is kept. Raises
    LimitError where time is over.
    """
    whole = trimmed(split(body))
    lines, context, cut = whole, None, list[Run]()
    for _ in range(MAX_PASSES):
        reading = read(lines, hints)
        gone = reading.runs()
        if not gone:
            break
        context = context or context_of(reading)
        cut += gone
        lines = trimmed(remaining(reading))
    else:
        return OwnWords(joined(whole), None, ())
    return OwnWords(joined(lines), context, parts_of(body, cut))


def split(body: str) -> list[Line]:
    lines, start = [], 0
    for number, text in enumerate(body.split("\n")):
        lines.append(Line(text.rstrip("\r"), start, number))
        start += len(text) + 1
    return lines


def trimmed(lines: list[Line]) -> list[Line]:
    """Without white space before the first and after the last word."""
    start, end = 0, len(lines)
    while start < end and lines[start].blank:
        start += 1
    while end > start and lines[end - 1].blank:
        end -= 1
    kept = lines[start:end]
    if kept:
        text, at, number = kept[0]
        kept[0] = Line(text.lstrip(), at + len(text) - len(text.lstrip()), number)
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip())
    return kept


def joined(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def remaining(reading: Reading) -> list[Line]:
    """The writer's own lines; where a cut brings two blank lines together one of them goes."""
    kept: list[Line] = []
    cut = False
    for line, kind in zip(reading.lines, reading.kinds, strict=True):
        if kind is not None:
            cut = True
            while len(kept) > 1 and kept[-1].blank and kept[-2].blank:
                kept.pop()
        elif not (cut and line.blank and kept and kept[-1].blank):
            kept.append(line)
            cut = cut and line.blank
    return kept


def parts_of(body: str, cut: list[Run]) -> tuple[CutPart, ...]:
    """The runs of all passes in the body's order; neighbours of one kind become one part."""
    merged: list[Run] = []
    for run in sorted(cut, key=lambda run: run.first):
        if merged and merged[-1].kind == run.kind and run.first == merged[-1].last + 1:
            merged[-1].last, merged[-1].end = run.last, run.end
        else:
            merged.append(run)
    return tuple(CutPart(run.kind, body[run.start : run.end], run.start, run.end) for run in merged)


def read(given: list[Line], hints: Hints = NO_HINTS) -> Reading:
    """Marks what is not the writer's; marks nothing where that would leave nothing and no quote explains it."""
    reading = Reading(list(given), [None] * len(given))
    lines = reading.lines
    in_thread = bool(lines) and interleaved(lines)
    i = segment = run = forwards = 0  # run: where the writer's latest words begin; segment: where this mail begins
    while i < len(lines):
        if lines[i].blank:
            i += 1
            continue
        checkpoint()
        found = None if lines[i].quoted else boundary(lines, i)
        if found:
            reading.peel(run, i)
            inside = not in_thread and answers_inside(reading.own(segment, i))
            if forwards < MAX_FORWARDS and (inside or is_forward(reading, segment, found, hints)):
                found = opened(lines, found)
                reading.mark(found.start, found.content, "header")
                i = segment = run = found.content
                hints = replace(hints, forward=False)  # what the forwarded mail quotes is not sent on
                forwards, in_thread = forwards + 1, False
                continue
            reading.mark(i, len(lines), "forwarded" if found.forward else "quote")
            reading.named.update(range(i, found.content))
            break
        named = attribution(lines, i)
        below = next_filled(lines, named[0]) if named else 0
        if named and (named[1] == "strong" or (below < len(lines) and lines[below].quoted)):
            reading.peel(run, i)
            if below < len(lines) and lines[below].quoted:
                end = run_end(lines, below)
            elif not in_thread and answers_inside(reading.own(segment, i)):
                end = named[0]
            elif not in_thread and not reading.own(segment, i) and any(line.quoted for line in lines[below:]):
                end = named[0]  # nothing above it, and quotes below: the words between may be the writer's
            else:
                end = len(lines)
            reading.mark(i, end, "quote")
            reading.named.update(range(i, named[0]))
            i = run = end
            in_thread = True
        elif lines[i].quoted:
            end = run_end(lines, i)
            if end == len(lines) and marker(bare(lines[i])) == "forwarded" and boundary(unquoted(lines[i:end]), 0):
                lines[i:end] = unquoted(lines[i:end])  # Apple Mail quotes the marker too
                continue
            if in_thread or lines[i].number in hints.quoted or is_quote(lines, i, end, answer=hints.answer):
                reading.peel(run, i)
                reading.mark(i, end, "quote")
                reading.named |= quoted_heading(lines, i, end)
                in_thread, run = True, end
            i = end
        else:
            i += 1
    else:
        reading.peel(run, len(lines))
    if not reading.own() and "quote" not in reading.kinds:
        return Reading(given, [None] * len(given))
    return reading


def answers_inside(own: list[Line]) -> bool:
    """Whether a note above an unmarked quote says that the answers stand in it, so that all of it is to be kept."""
    words = " ".join(line.text[:1_000] for line in own[:MAX_POINTER_WORDS])
    return len(words.split()) <= 2 * MAX_POINTER_WORDS and clients.ANSWERS_INSIDE.search(words) is not None


def is_forward(reading: Reading, segment: int, found: Boundary, hints: Hints) -> bool:
    """Whether the mail below is what the writer wants read: nothing stands above it, or a note that points to it, or
    any short note where the subject says that the mail is sent on."""
    if not (found.forward or found.headers) or found.content >= len(reading.lines):
        return False
    if "quote" in reading.kinds[segment : found.start]:
        return False
    own = reading.own(segment, found.start)
    words = " ".join(line.text[:1_000] for line in own[:MAX_POINTER_WORDS])
    pointed = hints.forward or clients.POINTER.search(words) is not None
    return not own or (len(words.split()) <= MAX_POINTER_WORDS and pointed)


def unquoted(lines: list[Line]) -> list[Line]:
    return [line.unquoted() if line.quoted else line for line in lines]


def opened(lines: list[Line], found: Boundary) -> Boundary:
    """Takes the quote marks off a forwarded mail (Apple Mail sets them) and finds its header again; changes `lines`."""
    below = next_filled(lines, found.start + 1)
    if found.forward and below < len(lines) and lines[below].quoted:
        end = run_end(lines, below)
        lines[below:end] = unquoted(lines[below:end])
        return boundary(lines, found.start) or found
    return found


def context_of(reading: Reading) -> str | None:
    """What the writer answers: the quoted paragraph above each of several answers; all that is quoted where nothing is
    said; the newest quoted mail where little is said, which can only be understood with it. Else None."""
    asked: list[list[str]] = [[]]
    answered: list[list[str]] = []
    for i, (line, kind) in enumerate(zip(reading.lines, reading.kinds, strict=True)):
        words = bare(line)
        if kind == "quote" and i not in reading.named:
            if words:
                asked[-1].append(words)
            elif asked[-1]:
                asked.append([])
        elif kind is None and words:
            last = next((paragraph for paragraph in reversed(asked) if paragraph), None)
            answered += [last] if last else []
            asked = [[]]
    own = reading.own()
    if not own:
        return paragraphs(asked)
    if len(answered) == 1 or (not answered and is_short(own)):
        return newest_quote(reading)
    return paragraphs(answered)


def paragraphs(found: list[list[str]]) -> str | None:
    return "\n\n".join("\n".join(lines) for lines in found if lines) or None


def is_short(own: list[Line]) -> bool:
    """Few words; Chinese and Japanese have no spaces, and two characters make a word."""
    characters = sum(len(line.text) for line in own)
    if characters > MAX_ANSWER_WORDS * 20:
        return False
    text = " ".join(line.text for line in own)
    return len(text.split()) + len(clients.CJK.findall(text)) // 2 <= MAX_ANSWER_WORDS


def newest_quote(reading: Reading) -> str | None:
    """The own words of the mail that is quoted first, without what it quotes itself."""
    for _ in range(MAX_PASSES):
        quoted = first_quoted(reading)
        if all(line.quoted or line.blank for line in quoted):
            quoted = unquoted(quoted)
        quoted = trimmed(quoted)
        if quoted and is_rule(quoted[0].text):
            quoted = trimmed(quoted[1:])
        if quoted:
            quoted[0] = after_inline(quoted[0])
        reading = read(quoted)
        if own := joined(trimmed([line for line in remaining(reading) if not line.quoted])):
            return own
    return joined(quoted) or None


def first_quoted(reading: Reading) -> list[Line]:
    """The lines of the first quote, up to where the writer goes on."""
    found: list[Line] = []
    for i, (line, kind) in enumerate(zip(reading.lines, reading.kinds, strict=True)):
        if kind in ("quote", "forwarded") and i not in reading.named:
            found.append(line)
        elif kind is None and not line.blank and any(not quoted.blank for quoted in found):
            break
    return found
