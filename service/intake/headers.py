"""Header fields as people wrote them: RFC 2047 words, raw 8-bit bytes, addresses, message ids, dates.

The standard library's modern header parser is not used: it raises on several damaged fields (IndexError, TypeError,
HeaderParseError) and takes quadratic time on some long ones.
"""

from __future__ import annotations

import binascii
import re
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from urllib.parse import unquote_to_bytes

from service.intake.charsets import clean, decode_text

WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]*)?\?([bBqQ])\?([^\n]{0,1000}?)\?=")
OPEN_WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]*)?\?([bBqQ])\?([^\s?]{0,1000})\??$")
BETWEEN = re.compile(r"[ \t]*")
QUOTED = re.compile(r'"(?:[^"\\]|\\.?)*("(@?)|\Z)')
COMMENT = re.compile(r"\([^()]*\)")
MESSAGE_ID = re.compile(r"<([^<>]{1,990})>")
PARAMETER = re.compile(r';\s*([^\s=;"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)')
MAIN_CHARACTERS = 255  # two names of RFC 6838 with a slash
BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
NOT_BASE64 = bytes(set(range(256)) - set(BASE64))
HEADER_CHARACTERS = 16_384  # as much of a field as is read


def unfold(value: str) -> str:
    return re.sub(r"[\r\n]+[ \t]*", " ", value[:HEADER_CHARACTERS]).strip()


def decode_header(value: str, charset: str | None = None) -> str:
    """A field's text on one line: its RFC 2047 words read, its raw bytes read as UTF-8 or the mail's charset."""
    value = unfold(value)
    if not value.isascii():
        value = decode_text(value.encode("utf-8", "surrogateescape"), charset)[0]
    return " ".join(clean(_words(value)).split())


def _words(value: str) -> str:
    pieces: list[str] = []
    pending, pending_charset, end = b"", "", 0
    for found in [*WORD.finditer(value)]:
        gap = value[end : found.start()]
        charset, raw = found[1].lower(), _word_bytes(found[2], found[3])
        if end and BETWEEN.fullmatch(gap):
            if charset != pending_charset:  # else a character may be split between two words
                pieces.append(decode_text(pending, pending_charset)[0])
                pending = b""
        else:
            pieces += [decode_text(pending, pending_charset)[0], gap]
            pending = b""
        pending, pending_charset, end = pending + raw, charset, found.end()
    pieces.append(decode_text(pending, pending_charset)[0])
    rest = value[end:]
    if cut_short := OPEN_WORD.search(rest):
        pieces.append(rest[: cut_short.start()].strip(" ") if end else rest[: cut_short.start()])
        pieces.append(decode_text(_word_bytes(cut_short[2], cut_short[3]), cut_short[1])[0].rstrip("\ufffd"))
    else:
        pieces.append(rest)
    return "".join(pieces)


def _word_bytes(kind: str, text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    if kind in "qQ":
        return binascii.a2b_qp(raw.replace(b"_", b" ").replace(b"=\n", b""), header=False)
    return base64_bytes(raw)


def base64_bytes(raw: bytes) -> bytes:
    """What base64 says, junk left out; padding may stand in the middle where pieces were joined, or be missing."""
    pieces = []
    for piece in re.split(rb"=+", raw.translate(None, NOT_BASE64)):
        whole = piece[:-1] if len(piece) % 4 == 1 else piece
        pieces.append(binascii.a2b_base64(whole + b"=" * (-len(whole) % 4)))
    return b"".join(pieces)


def field(message: Message, name: str, charset: str | None = None) -> str | None:
    """The first field of this name, decoded; None where it is missing or empty."""
    for key, value in message.raw_items():
        if key.lower() == name:
            return decode_header(str(value), charset) or None
    return None


def fields(message: Message, name: str) -> list[str]:
    """All fields of this name, as they came."""
    return [unfold(str(value)) for key, value in message.raw_items() if key.lower() == name]


def addresses(value: str) -> list[str]:
    """The bare addresses of a field, domain in small letters; names, comments and groups left out."""
    value = COMMENT.sub(" ", COMMENT.sub(" ", QUOTED.sub(_unquoted, unfold(value))))
    found = []
    for piece in re.split(r"[,;]", value):
        if "<" in piece:
            piece = piece.rpartition("<")[2].partition(">")[0]
        piece = decode_header(piece.rpartition(": ")[2])
        if "<" in piece:  # the whole was one RFC 2047 word
            piece = piece.rpartition("<")[2].partition(">")[0]
        address = "".join(piece.split()).removeprefix("mailto:").strip("<>()'\"")
        local, at, domain = address.rpartition("@")
        if at and local and domain:
            found.append(f"{local.rpartition(':')[2]}@{domain.lower()}")
    return found


def _unquoted(found: re.Match[str]) -> str:
    """Nothing for a quoted name; a quoted local part, and a quote that never ends, as they are."""
    if found[2]:
        return found.group()
    return " " if found[1] else found.group()[1:]


def message_ids(value: str) -> tuple[str, ...]:
    """The ids of Message-ID, In-Reply-To or References, with their angle brackets."""
    ids = ["".join(found.split()) for found in MESSAGE_ID.findall(unfold(value))]
    if not ids and "@" in value:
        ids = [word.strip("<>") for word in unfold(value).split() if "@" in word]
    return tuple(dict.fromkeys(f"<{clean(found)}>" for found in ids if found))


def date(value: str) -> datetime | None:
    """An aware moment from 1970 to 2200; UTC where the zone is missing. None for what is no date."""
    try:
        moment = parsedate_to_datetime(unfold(value)[:200])
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return moment if 1970 <= moment.astimezone(UTC).year <= 2200 else None
    except (ValueError, TypeError, OverflowError, IndexError, AttributeError):
        return None


def parameters(value: str) -> tuple[str, dict[str, str]]:
    """The value of Content-Type or Content-Disposition in small letters, and its parameters (RFC 2231, or RFC 2047
    where programs put it against the rules)."""
    value = unfold(value)
    plain: dict[str, str] = {}
    pieces: dict[str, list[tuple[int, bool, str]]] = {}
    for name, quoted in PARAMETER.findall(value):
        text = re.sub(r"\\(.)", r"\1", quoted[1:].removesuffix('"')) if quoted[:1] == '"' else quoted.strip()
        base, star, rest = name.lower().partition("*")
        if not star:
            plain.setdefault(base, text)
            continue
        number = rest.rstrip("*")
        order = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
        pieces.setdefault(base, []).append((order, not rest or rest.endswith("*"), text))
    for base, found in pieces.items():
        plain[base] = _rfc2231(sorted(found))
    main = decode_header(value.partition(";")[0]).lower()[:MAIN_CHARACTERS]
    return main, {name: decode_header(text) for name, text in plain.items()}


def _rfc2231(pieces: list[tuple[int, bool, str]]) -> str:
    charset = None
    raw = b""
    for index, (_, encoded, text) in enumerate(pieces):
        if index == 0 and encoded and text.count("'") >= 2:
            charset, _, text = text.split("'", 2)
        octets = text.encode("utf-8", "surrogateescape")
        raw += unquote_to_bytes(octets) if encoded else octets
    return decode_text(raw, charset)[0]
