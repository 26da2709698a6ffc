"""Raw bytes to a tree of parts, by the standard library's feed parser, with its damage repaired.

The parser takes every input without an exception; its hooks (policy, message class) are used to bound what it builds.
"""

from __future__ import annotations

import binascii
import re
from email._policybase import Compat32
from email.message import Message
from email.parser import BytesFeedParser
from typing import Any

from service.intake.charsets import codec_name, decode_text
from service.intake.deadline import checkpoint
from service.intake.errors import LimitError, Limits
from service.intake.headers import base64_bytes, parameters

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FROM_LINE = re.compile(rb"\A(?:[ \t]*\r?\n)*>?From [^\r\n]*\r?\n")
BOUNDARY_LINE = re.compile(rb"^--([^\s\r\n][^\r\n]{0,200}?)[ \t]*\r?\n(?:Content-[A-Za-z-]{1,40}:|\r?\n)", re.MULTILINE)
TYPED_BOUNDARY = re.compile(rb"^--([^\s\r\n][^\r\n]{0,200}?)[ \t]*\r?\nContent-[A-Za-z-]{1,40}:", re.MULTILINE)
ENCODED_RUN = re.compile(rb"(?:^[A-Za-z0-9+/]{60,}\r?\n)+", re.MULTILINE)
SPACED_FIELD = re.compile(
    rb"^(from|to|cc|subject|date|message-id|mime-version|content-[a-z-]{2,40}|reply-to|in-reply-to|references|received"
    rb"|return-path|sender|x-[a-z-]{1,60})[ \t]{1,40}:",
    re.IGNORECASE | re.MULTILINE,
)
META_CHARSET = re.compile(rb"<meta\b[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
META_BYTES = 4_096
LONG_RUN_BYTES = 20_000
ENCODED_LINE = re.compile(rb"[A-Za-z0-9+/]*={0,3}")
NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]+")
FULL_ENCODED = 60  # characters of a line that others follow
SHORTEST_ENCODED = 16  # characters in a row; longer than most words
BASE64_LINE = re.compile(rb"[A-Za-z0-9+/=\s]*")
HEADER_END = re.compile(rb"\r?\n\r?\n")
HEADER_BYTES = 65_536  # of a mail without an empty line
HEADERS = 2_000  # fields of one part that are kept
FIELD_CHARACTERS = {True: 4_096, False: 65_536}  # of Content-* fields, which the parser reads in quadratic time


class Part(Message):
    """A part that knows its depth; its headers are kept as they came, with raw bytes as surrogates."""

    def __init__(self, limits: Limits, count: list[int], policy: Any = None) -> None:
        super().__init__(policy or Compat32())
        self.limits, self.count, self.depth, self.body = limits, count, 0, ""
        checkpoint()
        count[0] += 1
        if count[0] > limits.parts:
            raise LimitError("parts", limits.parts)

    def attach(self, payload: Any) -> None:
        """The parser attaches a part before it reads it, so that nesting is bounded before it is built."""
        payload.depth = self.depth + 1
        if payload.depth > self.limits.nesting:
            raise LimitError("nesting", self.limits.nesting)
        super().attach(payload)

    def set_payload(self, payload: Any, charset: Any = None) -> None:
        """Keeps a leaf's body as it came: get_payload would replace 8-bit bytes that its charset does not know."""
        self.body = payload if isinstance(payload, str) else ""
        super().set_payload(payload, charset)

    def get_boundary(self, failobj: Any = None) -> Any:
        """None also for one whose RFC 2231 charset makes the library raise."""
        try:
            return super().get_boundary(failobj)
        except (ValueError, LookupError, TypeError):
            return failobj

    def set_raw(self, name: str, value: Any) -> None:
        if len(self) < HEADERS:
            super().set_raw(name, value)


class ShortFields(Compat32):
    """Compat32 with fields of a bounded length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: FIELD_CHARACTERS[name.lower().startswith("content-")]]

    def header_fetch_parse(self, name: str, value: str) -> str:  # noqa: ARG002
        return value  # raw bytes and all; Compat32 would make a Header of them


def parse_parts(raw: bytes, limits: Limits) -> tuple[Part, list[str]]:
    """The root part, and notes of what was repaired. Raises LimitError."""
    if len(raw) > limits.mail_bytes:
        raise LimitError("mail_bytes", limits.mail_bytes, len(raw))
    raw = ENCODED_RUN.sub(_one_line, _line_ends(raw.removeprefix(BYTE_ORDER_MARK)))
    lines = raw.count(b"\n")
    if lines > limits.lines:
        raise LimitError("lines", limits.lines, lines)
    count = [0]
    root = _feed(_joined_names(FROM_LINE.sub(b"", raw, count=1).lstrip(b"\r\n")), limits, count)
    notes: list[str] = []
    if not root.is_multipart() and root.get_content_maintype() == "text":
        body = payload_bytes(root)
        found = TYPED_BOUNDARY.search(body, 0, 4_000)
        if found and body.count(b"--" + found[1]) > 1 and encoding_of(root) != "base64":
            notes.append("structure: parts without a multipart header")
            root = _with_boundary(root, found[1], limits, count)
    for part in [part for part in root.walk() if isinstance(part, Part)]:
        if part.get_content_maintype() == "multipart" and not part.is_multipart():
            found = BOUNDARY_LINE.search(payload_bytes(part))
            if found:
                notes.append("structure: boundary guessed")
                part.set_payload(_with_boundary(part, found[1], limits, count).get_payload())
        elif part.is_multipart() and part.epilogue:
            _attach_late(part, limits, count, notes)
    return root, notes


def parse_inside(part: Part, raw: bytes, limits: Limits) -> Part:
    """The mail in a leaf. Raises LimitError where it nests too deep, or has too many parts with those around it."""
    if part.depth >= limits.nesting:
        raise LimitError("nesting", limits.nesting)
    return _feed(raw, limits, part.count, part.depth + 1)


def _one_line(run: re.Match[bytes]) -> bytes:
    """A file's base64 as one line: it decodes the same, and the parser's time goes with the lines."""
    text = run.group()
    return text if len(text) < LONG_RUN_BYTES else text.translate(None, b"\r\n") + b"\n"


def _joined_names(raw: bytes) -> bytes:
    """Header names right before their colon: old programs set a space there (RFC 5322, section 4.5)."""
    end = HEADER_END.search(raw)
    head = raw[: end.start()] if end else raw[:HEADER_BYTES]
    return SPACED_FIELD.sub(rb"\1:", head) + raw[len(head) :] if SPACED_FIELD.search(head) else raw


def _line_ends(raw: bytes) -> bytes:
    if b"\r\r\n" in raw:  # a relay that ended lines twice
        raw = re.sub(rb"\r+\n", b"\n", raw)
    return raw if b"\n" in raw else raw.replace(b"\r", b"\n")


def _feed(raw: bytes, limits: Limits, count: list[int], depth: int = 0) -> Part:
    def make(policy: Any = None) -> Part:
        part = Part(limits, count, policy)
        part.depth = depth
        return part

    count[0] -= 1  # the parser makes a part only to see whether it can
    parser = BytesFeedParser(make, policy=ShortFields())
    parser.feed(raw)
    root = parser.close()
    assert isinstance(root, Part)
    return root


def _with_boundary(part: Part, boundary: bytes, limits: Limits, count: list[int]) -> Part:
    """The part read again as a multipart with this boundary; its other header fields stay."""
    escaped = boundary.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    head = b'Content-Type: multipart/mixed; boundary="' + escaped + b'"\n\n'
    again = _feed(head + payload_bytes(part), limits, count, part.depth)
    for name, value in part.raw_items():
        if name.lower() not in ("content-type", "content-transfer-encoding"):
            again.set_raw(name, value)
    return again


def _attach_late(part: Part, limits: Limits, count: list[int], notes: list[str]) -> None:
    """Parts that follow the end boundary: a multipart inside used the same one."""
    boundary, late = part.get_boundary(), part.epilogue or ""
    if boundary is None or f"--{boundary}\n" not in late.replace("\r\n", "\n"):
        return
    holder = Part(limits, count)
    holder.depth = part.depth
    holder.set_payload(late)
    again = _with_boundary(holder, boundary.encode("utf-8", "surrogateescape"), limits, count)
    if again.is_multipart():
        notes.append("structure: parts after the end")
        for child in again.get_payload():
            part.attach(child)


def payload_bytes(part: Part) -> bytes:
    """The body of a leaf as it came, not decoded."""
    body = part.body
    if part.depth:  # the line end before a boundary belongs to the boundary
        body = body.removesuffix("\n").removesuffix("\r")
    return body.encode("utf-8", "surrogateescape")


def encoding_of(part: Message) -> str:
    value = parameters(str(dict(_lower(part)).get("content-transfer-encoding", "")))[0]
    return value.partition("(")[0].strip("\"' ")  # `Quoted-Printable (generated)`


def _lower(part: Message) -> list[tuple[str, Any]]:
    return [(name.lower(), value) for name, value in part.raw_items()]


def decoded_bytes(part: Part) -> tuple[bytes, str | None]:
    """The body of a leaf with its transfer encoding undone, and a note where that took a guess. Raises nothing."""
    raw, encoding = payload_bytes(part), encoding_of(part)
    if encoding == "base64":
        return _base64(raw)
    if encoding in ("quoted-printable", "quoted_printable", "quotedprintable", "qp"):
        return binascii.a2b_qp(re.sub(rb"[ \t]+(?=\r?\n)", b"", raw)), None
    if encoding in ("x-uuencode", "uuencode", "uue", "x-uue"):
        return _uuencoded(raw), None
    return raw, None


def _base64(raw: bytes) -> tuple[bytes, str | None]:
    """Base64 up to a footer that a list put after it; text that was never encoded stays as it is."""
    lines = raw.splitlines(keepends=True)
    first = raw.lstrip().partition(b"\n")[0].strip()
    if not ENCODED_LINE.fullmatch(first) and max(map(len, NOT_BASE64.split(raw))) < SHORTEST_ENCODED:
        return raw, "encoding: base64 by its label only"
    if all(BASE64_LINE.fullmatch(line) for line in lines):
        return base64_bytes(raw), None
    last = max((i for i, line in enumerate(lines) if line.rstrip().endswith(b"=")), default=_last_encoded(lines))
    return base64_bytes(b"".join(lines[: last + 1])), "encoding: base64 with junk"


def _last_encoded(lines: list[bytes]) -> int:
    """The last line before the first that is not encoded, where no long encoded one follows; else the last of all."""
    strange = [i for i, line in enumerate(lines) if not ENCODED_LINE.fullmatch(line.strip())]
    ends = strange and not any(
        len(line) >= FULL_ENCODED and ENCODED_LINE.fullmatch(line.strip()) for line in lines[strange[0] :]
    )
    return strange[0] - 1 if ends else len(lines) - 1


def _uuencoded(raw: bytes) -> bytes:
    pieces = []
    for line in raw.splitlines():
        if line.startswith((b"begin ", b"end")) or not line.strip():
            continue
        length = (((line[0] - 32) & 63) * 4 + 2) // 3 + 1  # old encoders wrote more, which is no data
        try:
            pieces.append(binascii.a2b_uu(line[:length]))
        except binascii.Error:
            continue
    return b"".join(pieces)


def decoded_text(part: Part) -> tuple[str, list[str]]:
    """The text of a leaf and notes of what was guessed."""
    raw, note = decoded_bytes(part)
    content_type = str(dict(_lower(part)).get("content-type", ""))
    main, options = parameters(content_type)
    label = options.get("charset")
    if codec_name(label) is None and main.endswith("html") and (meta := META_CHARSET.search(raw, 0, META_BYTES)):
        label = meta[1].decode("ascii")
    text, charset_note = decode_text(raw, label)
    return text, [found for found in (note, charset_note) if found]
