"""What service.intake promises of any bytes whatever, as assertions; each failure's first words name the promise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from time import thread_time

from service.intake.compose import Intake, compose_mail
from service.intake.cut import OwnWords, own_words
from service.intake.deadline import within
from service.intake.errors import IntakeError, Limits
from service.intake.html import html_to_text
from service.intake.mime import FIELD_CHARACTERS, RECIPIENTS, ParsedMail, parse_mail
from service.intake.threads import INVISIBLE

LIMITS = Limits(parts=40, nesting=8)
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
NOT_WORDS = re.compile(rf"[\s>{INVISIBLE}]+")
FILE_NAME_CHARACTERS = 255
TIMES_LARGER, AT_LEAST_CHARACTERS = 64, 10_000  # nested lists and quotes indent what stands in them
OVERTIME_SECONDS = 0.5  # past the limit, until the next checkpoint


def keep(raw: bytes, *, seconds: float = Limits.seconds) -> ParsedMail | None:
    """Reads a mail and asserts every promise; None where it was refused, which is one of them."""
    parsed = None
    started = thread_time()
    with suppress(IntakeError), within(seconds):
        parsed = parse_mail(raw, LIMITS)
        check_mail(parsed)
        check_size(raw, compose_mail(parsed))
        body = parsed.text if parsed.text is not None else html_to_text(parsed.html or "")
        check_words(body, own_words(body))
    taken = thread_time() - started
    assert taken <= seconds + OVERTIME_SECONDS, f"time: {taken:.2f} s of processor time, {seconds:g} allowed"
    return parsed


def check_mail(parsed: ParsedMail) -> None:
    """Every text can be stored, and every list and name is bounded."""
    for text in texts(parsed):
        assert not UNSTORABLE.search(text), f"storable: {text[:80]!r}"
    for name in (parsed.subject, parsed.sender, parsed.message_id, *parsed.recipients):
        assert len(name or "") <= FIELD_CHARACTERS, f"bounded: a field of {len(name or '')} characters"
    assert len(parsed.recipients) <= RECIPIENTS, f"bounded: {len(parsed.recipients)} recipients"
    assert len(parsed.attachments) <= LIMITS.parts, f"bounded: {len(parsed.attachments)} attachments"
    for entry in parsed.attachments:
        assert len(entry.filename or "") <= FILE_NAME_CHARACTERS, "bounded: a file's name"
        assert len(entry.content_type) <= FILE_NAME_CHARACTERS, "bounded: a file's type"
        assert entry.size_bytes >= 0, "bounded: a file of less than nothing"
    for inner in parsed.forwarded:
        check_mail(inner)


def texts(parsed: ParsedMail) -> Iterator[str]:
    fields = (parsed.subject, parsed.sender, parsed.message_id, parsed.in_reply_to, parsed.text, parsed.html)
    yield from (text for text in (*fields, parsed.automatic) if text)
    yield from (*parsed.recipients, *parsed.references, *parsed.notes)
    yield from (text for entry in parsed.attachments for text in (entry.filename, entry.content_type) if text)


def check_size(raw: bytes, intake: Intake) -> None:
    """What is kept of a mail is no more than so many times the mail, and can be stored."""
    kept = [intake.text, intake.context or "", *(part.text for part in intake.cut)]
    allowed = TIMES_LARGER * len(raw) + AT_LEAST_CHARACTERS
    assert sum(map(len, kept)) <= allowed, f"huge: {sum(map(len, kept))} characters of {len(raw)} bytes"
    assert not [text for text in kept if UNSTORABLE.search(text)], "storable: what was read"
    assert bool(intake.text) == (intake.source is not None), f"source: {intake.source} of {intake.text[:80]!r}"


def check_words(body: str, own: OwnWords) -> None:
    """The parts lie in the body in order and apart, what they leave is the text, and reading it again cuts nothing."""
    left, end = [], 0
    for part in own.parts:
        assert body[part.start : part.end] == part.text, f"parts: {part.kind} is not where it says"
        assert end <= part.start <= part.end, f"parts: {part.kind} overlaps"
        left.append(body[end : part.start])
        end = part.end
    left.append(body[end:])
    assert bare("".join(left)) == bare(own.text), "words: what is not cut is not the text"
    assert own_words(own.text).text == own.text, "again: a second reading cuts more"
    missing = Counter(bare(own.context or "")) - Counter(bare(body))
    assert not missing, "context: has words that the body has not"


def bare(text: str) -> str:
    """Without white space and quote marks, which a cut may take with it."""
    return NOT_WORDS.sub("", text)
