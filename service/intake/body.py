"""Which parts of a mail are its body: the text, the HTML, and what is only attached."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from service.intake import plain, smime
from service.intake.charsets import clean
from service.intake.errors import LimitError, Limits
from service.intake.headers import NOT_BASE64, base64_bytes, decode_header, fields, parameters
from service.intake.html import has_markup, html_to_text, looks_like_html
from service.intake.structure import Part, decoded_bytes, decoded_text, encoding_of, parse_inside, payload_bytes

ENVELOPED_DATA = bytes.fromhex("2a864886f70d010703")  # RFC 5652
SMIME = ("application/pkcs7-mime", "application/x-pkcs7-mime")
TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
PLAIN = ("text/plain", "text/markdown", "text/enriched", "text", "text/text", "plain/text", "")
HTML = ("text/html", "application/xhtml+xml")
NOT_BASE64_OR_PADDING = NOT_BASE64 + b"="
WORDS = re.compile(r"\w+")
ENRICHED = re.compile(r"<<|<param>[^<]{0,200}</param>|</?[a-zA-Z][a-zA-Z-]{0,40}>")  # RFC 1896
MOSTLY = 0.8
UNWRITTEN = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class Attachment:
    """A part that is not the body: named and counted, never opened. Bytes after its transfer encoding is undone."""

    filename: str | None
    content_type: str
    size_bytes: int


@dataclass
class Body:
    text: str | None = None
    html: str | None = None
    attachments: list[Attachment] = field(default_factory=list)
    forwarded: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    encrypted: bool = False
    charset: str | None = None
    html_bytes: int = 0
    named: list[Part] = field(default_factory=list)  # inline texts with a file name
    leaves: int = 0


@dataclass
class Piece:
    """One stretch of the body, in either form or both."""

    text: str | None = None
    html: str | None = None


def read_body(root: Part, limits: Limits) -> Body:
    """The body of a mail. Raises LimitError for too much HTML."""
    body = Body()
    piece = _join(_pieces(root, body, limits))
    if piece.text is None and piece.html is None and len(body.named) == 1:
        body.notes.append("body: a text has a file name")
        piece = _leaf(body.named[0], body, limits)
    body.text, body.html = piece.text, piece.html
    return body


def _pieces(
    part: Part, body: Body, limits: Limits, *, in_report: bool = False, in_alternative: bool = False
) -> list[Piece]:
    content_type, options = parameters(" ".join(fields(part, "content-type")[:1]))
    content_type = content_type or part.get_default_type()
    if part.is_multipart() and content_type.startswith("message/"):
        _attach_mail(part, content_type, body, limits, in_report=in_report)
        return []
    if part.is_multipart():
        return _container(part, content_type, options, body, limits, in_report=in_report)
    if content_type.startswith("multipart/"):  # by its label only
        content_type = "text/plain"
    body.leaves += 1
    if (
        content_type == "application/octet-stream"
        and part.depth == 0
        and not _filename(part, options)
        and _is_text(part)
    ):
        body.notes.append("body: text labelled as bytes")
        content_type = "text/plain"
    if content_type in SMIME or content_type == "application/octet-stream" and _filename(part, options) == "smime.p7m":
        _attach(part, content_type, _filename(part, options), body)
        return _smime(part, options, body, limits)
    if content_type in TNEF or (_filename(part, options) or "").lower() == "winmail.dat":
        body.notes.append("attachment: Outlook's winmail.dat may hold the text or the files")
    disposition = parameters(" ".join(fields(part, "content-disposition")[:1]))[0]
    alone = part.depth == 0 and content_type.startswith("text/") and content_type != "text/calendar"
    if (content_type in PLAIN + HTML and (disposition != "attachment" or part.depth == 0)) or (
        alone and (disposition != "attachment" or not _filename(part, options))
    ):
        if _filename(part, options) is None or part.depth == 0:
            return [_leaf(part, body, limits)]
        if body.leaves == 1 or in_alternative:
            body.notes.append("body: a text has a file name")
            _attach(part, content_type, _filename(part, options), body)
            return [_leaf(part, body, limits)]
        body.named.append(part)
    if content_type == "text/calendar":
        body.notes.append("calendar: " + (options.get("method", "").lower()[:20] or "no method"))
    if content_type not in ("text/x-amp-html", "text/watch-html"):
        _attach(part, content_type, _filename(part, options), body)
    return []


def _container(
    part: Part, content_type: str, options: dict[str, str], body: Body, limits: Limits, *, in_report: bool
) -> list[Piece]:
    children = [child for child in part.get_payload() if isinstance(child, Part)]
    if content_type == "multipart/encrypted":
        body.encrypted = True
    elif content_type == "multipart/signed":
        body.notes.append("signed: " + options.get("protocol", "unknown")[:60])
    in_report = in_report or content_type == "multipart/report"
    alternative = content_type == "multipart/alternative"
    found = [_pieces(child, body, limits, in_report=in_report, in_alternative=alternative) for child in children]
    if alternative:
        joined = [_join(pieces) for pieces in found]
        return [_last_of_each(joined)]
    if content_type == "multipart/related":
        joined = [_join(pieces) for pieces in found]
        shown = [
            piece
            for child, piece in zip(children, joined, strict=True)
            if not (fields(child, "content-id") or fields(child, "content-location"))
        ]
        if sum(piece.html is not None for piece in shown) > 1:
            return shown  # words around a picture
        return [_last_of_each(joined[::-1])]
    return [piece for pieces in found for piece in pieces]


def _last_of_each(pieces: list[Piece]) -> Piece:
    texts = [piece.text for piece in pieces if piece.text]
    htmls = [piece.html for piece in pieces if piece.html]
    return Piece(texts[-1] if texts else None, htmls[-1] if htmls else None)


def _join(pieces: list[Piece]) -> Piece:
    """Pieces in a row as one: in both forms only where every piece has HTML."""
    pieces = [piece for piece in pieces if piece.text or piece.html]
    both = len(pieces) == 2 and pieces[0].html is None and pieces[1].text is None
    if both and (same := _same_words(pieces[0].text or "", html_to_text(pieces[1].html or ""))):
        return Piece(pieces[0].text if same == "text" else None, pieces[1].html)
    if len(pieces) < 2:
        return pieces[0] if pieces else Piece()
    html = "\n<br>\n".join(piece.html for piece in pieces if piece.html) if all(p.html for p in pieces) else None
    if all(piece.text is None for piece in pieces):
        return Piece(None, html)
    texts = [piece.text if piece.text else html_to_text(piece.html or "") for piece in pieces]
    return Piece("\n\n".join(text for text in texts if text), html)


def _same_words(text: str, shown: str) -> Literal["text", "html"] | None:
    """Which of two forms holds all words of the other, in order, and few more: programs that put both in
    multipart/mixed. None where each has words of its own, one "not" of which may turn the other round."""
    plain_words, html_words = WORDS.findall(text.lower()), WORDS.findall(shown.lower())
    shared = set(plain_words) & set(html_words)
    if len(shared) <= MOSTLY * len(set(plain_words) | set(html_words)):
        return None
    if plain.holds(plain_words, html_words):
        return "text"
    return "html" if plain.holds(html_words, plain_words) else None


def _leaf(part: Part, body: Body, limits: Limits) -> Piece:
    """The words of a text part."""
    content_type, options = parameters(" ".join(fields(part, "content-type")[:1]))
    is_html = content_type in HTML
    if is_html or looks_like_html(payload_bytes(part)[:500].decode("latin-1")):
        body.html_bytes += len(decoded_bytes(part)[0])
        if body.html_bytes > limits.html_bytes:
            raise LimitError("html_bytes", limits.html_bytes, body.html_bytes)
    text, notes = decoded_text(part)
    body.notes += notes
    body.charset = body.charset or options.get("charset")
    text = clean(text)
    if not is_html and content_type in PLAIN and looks_like_html(text):
        body.notes.append("body: HTML labelled as plain text")
        is_html = True
    elif is_html and text.strip() and not has_markup(text):
        body.notes.append("body: plain text labelled as HTML")
        is_html = False
    if is_html:
        return Piece(html=text.strip("\n") if text.strip() else None)
    if options.get("format", "").lower() == "flowed":
        text = plain.unflow(text, delete_space=options.get("delsp", "").lower() == "yes")
    if content_type == "text/enriched":
        text = ENRICHED.sub(lambda found: "<" if found[0] == "<<" else "", text)
    if plain.is_encrypted(text):
        body.encrypted = True
    text = plain.without_armour(text).strip("\n").rstrip()
    return Piece(text=text if text.strip() else None)


def _smime(part: Part, options: dict[str, str], body: Body, limits: Limits) -> list[Piece]:
    """The words inside a signed envelope; marks an encrypted one."""
    raw = decoded_bytes(part)[0]
    kind = options.get("smime-type", "").lower()
    if smime.is_signed_data(raw) or kind.startswith("signed"):
        content = smime.signed_content(raw)
        body.notes.append("signed: " + ("S/MIME" if content else "the S/MIME envelope cannot be read"))
        return _pieces(parse_inside(part, content, limits), body, limits, in_report=False) if content else []
    if ENVELOPED_DATA in raw[:64] or not kind or kind.startswith(("enveloped", "authenveloped")):
        body.encrypted = True
    return []


def _is_text(part: Part) -> bool:
    raw = decoded_bytes(part)[0]
    return UNWRITTEN.search(raw) is None and raw.decode("utf-8", "ignore").encode() == raw


def _filename(part: Part, options: dict[str, str]) -> str | None:
    disposition = parameters(" ".join(fields(part, "content-disposition")[:1]))[1]
    name = disposition.get("filename") or options.get("name") or ""
    return name.replace("\\", "/").rpartition("/")[2].strip()[:255] or None


def _attach(part: Part, content_type: str, filename: str | None, body: Body) -> None:
    raw = payload_bytes(part)
    if encoding_of(part) == "base64":
        characters = len(raw.translate(None, NOT_BASE64_OR_PADDING))
        size = characters * 3 // 4
    else:
        size = len(decoded_bytes(part)[0])
    body.attachments.append(Attachment(filename, content_type, size))


def _written_bytes(mail: Part) -> int:
    """The bytes of a mail as it came, but for its parts' boundaries."""
    size = 0
    for part in mail.walk():
        if isinstance(part, Part):
            size += sum(len(f"{name}: {value}\n".encode("utf-8", "surrogateescape")) for name, value in part.items())
            size += 1 + len(payload_bytes(part)) if not part.is_multipart() else 0
    return size


def _attach_mail(part: Part, content_type: str, body: Body, limits: Limits, *, in_report: bool) -> None:
    """A mail in a mail: an attachment; and forwarded, unless a report gives it back. Some programs encode it, which
    RFC 2046, section 5.2.1 forbids."""
    _, options = parameters(" ".join(fields(part, "content-type")[:1]))
    inner = [child for child in part.get_payload() if isinstance(child, Part)]
    if inner and encoding_of(part) == "base64" and not inner[0].keys():
        inner = [parse_inside(inner[0], base64_bytes(payload_bytes(inner[0])), limits)]
    subject = " ".join(fields(inner[0], "subject")[:1]) if inner else ""
    name = _filename(part, options) or decode_header(subject)[:255] or None
    body.attachments.append(Attachment(name, content_type, sum(map(_written_bytes, inner))))
    if content_type in ("message/rfc822", "message/global") and not in_report:
        body.forwarded += inner[:1]
