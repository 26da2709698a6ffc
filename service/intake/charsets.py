"""Bytes to text, whatever their label says.

Labels are read as browsers read them (https://encoding.spec.whatwg.org/#names-and-labels): latin-1 is windows-1252,
gb2312 is gb18030. Bytes that are UTF-8 by their form are UTF-8, since other text hardly ever takes that form. What no
label explains is guessed by chardet, which knows a single line of Russian or Chinese where charset-normalizer did not.
"""

from __future__ import annotations

import codecs
import re

import chardet

WINDOWS_1252 = {"ascii", "iso8859-1", "latin_1", "latin-1", "cp1252"}
WIDER = {  # what mail programs write → the superset that they mean
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
}
ALIASES = {"ks_c_5601-1987": "cp949", "x-sjis": "cp932", "unicode-1-1-utf-7": "utf-7", "x-gbk": "gb18030"}
ALIASES |= {"cp-850": "cp850", "iso-8859-8-i": "iso8859-8", "x-mac-roman": "mac_roman", "utf8mb4": "utf-8"}
SEVEN_BIT = {"iso2022_jp", "iso2022_kr", "hz", "utf-7", "utf-16", "utf-16-le", "utf-16-be", "utf-32"}
MULTI_BYTE = {"gb18030", "cp949", "cp932", "big5hkscs", "euc_jp", "euc_jis_2004", "johab"}
LABEL = re.compile(r"[a-z][a-z0-9._:-]*")
FIRST_LEAD_BYTE = 0xC2
NOT_UTF8 = re.compile("[\udc80-\udcff]+")
BROKEN_CHARACTER = re.compile(rb"[\xe0-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2}")
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
SURROGATE = re.compile("[\ud800-\udfff]")
JIS_RUN = re.compile(rb"(\A|\x1b[$(][A-Za-z@])([^\x1b]*)")
GUESS_BYTES = 4_096  # enough for the guess, which is slow
NON_LATIN_SHARE = 0.25  # of bytes over 127; French and German stay under a tenth
MISLABELLED_SHARE, MISLABELLED_BYTES = 0.4, 8  # of them, before a label of Latin letters is disbelieved
BROKEN_BYTES, BROKEN_SHARE = 3, 0.25  # of them; with more the text is no damaged UTF-8


def clean(text: str) -> str:
    """Line ends as \\n, no control characters but \\n and \\t, lone surrogates as U+FFFD."""
    return SURROGATE.sub("\ufffd", CONTROL.sub("", LINE_END.sub("\n", text)))


def codec_name(label: str | None) -> str | None:
    """Python's name of the character set that a label means; None for an unknown one."""
    found = LABEL.search((label or "").lower().strip("\"' "))
    if found is None:
        return None
    name = ALIASES.get(found.group(), found.group())
    if name.startswith("windows-125"):
        name = "cp" + name[8:12]  # also windows-1252http-equivcontent-type, which Outlook Express wrote
    try:
        info = codecs.lookup(name)
        "".encode(name)  # refuses rot13 and the other codecs that are no character sets
    except (LookupError, ValueError, TypeError):
        return None
    if info.name in ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"):
        return None
    return "cp1252" if info.name in WINDOWS_1252 else WIDER.get(info.name, info.name)


def decode_text(raw: bytes, label: str | None = None) -> tuple[str, str | None]:
    """The text of bytes with a label, and a note where the label was wrong or missing. Raises nothing."""
    name = codec_name(label)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace"), None
    if name in SEVEN_BIT and (b"\0" in raw[:200] or not name.startswith(("utf-16", "utf-32"))):
        if text := _strict(raw, name):
            return text, None
        if not raw.isascii() and not name.startswith("utf"):
            return decode_text(raw)  # seven bits by its label only
        if name.startswith("iso2022_jp"):
            return _windows_jis(raw), f"charset: not all of it is {name}"
        return raw.decode(name, "replace"), f"charset: not all of it is {name}"
    if raw.isascii():
        return _seven_bit(raw, label, name)
    if name in MULTI_BYTE and (text := _strict(raw, name)) is not None:
        return text, None
    if (text := _strict(raw, "utf-8")) is not None:
        return text, None if name == "utf-8" else f"charset: labelled {label or 'not at all'}, read as utf-8"
    if name not in (None, "utf-8", "cp1252"):
        return raw.decode(str(name), "replace"), None
    return _legacy(raw, label, name)


def _windows_jis(raw: bytes) -> str:
    """ISO-2022-JP with the rows that NEC and Windows added to JIS X 0208, such as ①, and half-width letters."""
    text = []
    for mark, run in JIS_RUN.findall(raw):
        if mark in (b"\x1b$B", b"\x1b$@"):
            pairs = zip(run[::2], run[1::2], strict=False)
            text.append(b"".join(_shifted(row, cell) for row, cell in pairs).decode("cp932", "replace"))
        elif mark == b"\x1b(I":
            text.append(bytes(byte | 0x80 for byte in run).decode("cp932", "replace"))
        else:
            text.append((mark + run).decode("iso2022_jp_ext", "replace"))
    return "".join(text)


def _shifted(row: int, cell: int) -> bytes:
    """A character of JIS X 0208 by the bytes that Shift JIS has for it; what is none as it is."""
    if not (0x21 <= row <= 0x7E and 0x21 <= cell <= 0x7E):
        return bytes((row, cell))
    lead = (row - 0x21) // 2 + (0x81 if row < 0x5F else 0xC1)
    return bytes((lead, cell + 0x7E if row % 2 == 0 else cell + (0x1F if cell < 0x60 else 0x20)))


def _strict(raw: bytes, name: str) -> str | None:
    try:
        return raw.decode(name)
    except ValueError:
        return None


def _seven_bit(raw: bytes, label: str | None, name: str | None) -> tuple[str, str | None]:
    if b"\x1b$" in raw and (text := _strict(raw, "iso2022_jp_ext")) is not None:
        return text, f"charset: labelled {label or 'not at all'}, read as iso-2022-jp"
    unknown = label is not None and name is None
    return raw.decode("ascii"), f"charset: {label} is unknown" if unknown else None


def _legacy(raw: bytes, label: str | None, name: str | None) -> tuple[str, str | None]:
    """8-bit bytes that are not UTF-8 and that no usable label explains."""
    text = raw.decode("utf-8", "surrogateescape")
    high = len(raw) - len(raw.decode("ascii", "ignore"))
    broken = sum(map(len, NOT_UTF8.findall(text)))
    if not NOT_UTF8.sub("", text).isascii() and broken <= max(BROKEN_BYTES, BROKEN_SHARE * high):
        return NOT_UTF8.sub(_repair, text), "charset: not all of it is utf-8"
    latin = name == "cp1252" and (high < MISLABELLED_BYTES or high <= MISLABELLED_SHARE * len(raw))
    if not latin and high > NON_LATIN_SHARE * len(raw):
        best = codec_name(chardet.detect(raw[:GUESS_BYTES])["encoding"])
        if best not in (None, "utf-8", "cp1252"):
            return raw.decode(str(best), "replace"), f"charset: guessed as {best}"
    if name == "cp1252":
        return _cp1252(raw), None
    return _cp1252(raw), f"charset: labelled {label or 'not at all'}, read as windows-1252"


def _repair(found: re.Match[str]) -> str:
    """A run of bytes between UTF-8: a character cut short, or a word of windows-1252."""
    raw = found.group().encode("ascii", "surrogateescape")
    at_end = not found.string[found.end() :].strip() and raw[0] >= FIRST_LEAD_BYTE
    return "\ufffd" if at_end or BROKEN_CHARACTER.fullmatch(raw) else _cp1252(raw)


def _cp1252(raw: bytes) -> str:
    return raw.decode("cp1252", "replace")
