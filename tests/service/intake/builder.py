"""Raw mails out of their pieces, byte by byte, so that they can be as wrong as those that come."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A raw mail and what parse_mail must make of it: field → value; `words` is the text, or the HTML's text."""

    name: str
    raw: bytes
    expected: dict[str, Any]


def case(name: str, raw: bytes, **expected: Any) -> Case:
    return Case(name, raw, expected)


def octets(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def part(
    body: str | bytes,
    content_type: str | None = "text/plain; charset=utf-8",
    *,
    encoding: str | None = None,
    disposition: str | None = None,
    **headers: str,
) -> bytes:
    """A part with its headers; base64, qp and uu are encoded here, any other encoding is only written down."""
    raw = octets(body)
    names = {"base64": "base64", "qp": "quoted-printable", "uu": "x-uuencode"}
    if encoding == "base64":
        raw = base64.encodebytes(raw)
    elif encoding == "qp":
        raw = binascii.b2a_qp(raw)
    elif encoding == "uu":
        lines = [binascii.b2a_uu(raw[i : i + 45]) for i in range(0, len(raw), 45)]
        raw = b"begin 644 body.txt\n" + b"".join(lines) + b"`\nend\n"
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if content_type is not None:
        fields["Content-Type"] = content_type
    if encoding is not None:
        fields["Content-Transfer-Encoding"] = names.get(encoding, encoding)
    if disposition is not None:
        fields["Content-Disposition"] = disposition
    head = b"".join(octets(name) + b": " + octets(value) + b"\n" for name, value in fields.items())
    return head + b"\n" + raw


def html(body: str | bytes, **options: Any) -> bytes:
    return part(body, "text/html; charset=utf-8", **options)


def multi(kind: str, *parts: bytes, boundary: str = "b1", end: bool = True, parameters: str = "") -> bytes:
    """A multipart of parts, with its header."""
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"{parameters}\n\n'.encode()
    inside = b"".join(b"--" + boundary.encode() + b"\n" + octets(entry) + b"\n" for entry in parts)
    return head + inside + (b"--" + boundary.encode() + b"--\n" if end else b"")


def mail(entity: bytes, subject: str | bytes = "Order 5513", **headers: str | bytes) -> bytes:
    """A mail around a part or a multipart."""
    fields: dict[str, str | bytes] = {"From": "Mina Rao <mina@example.org>", "To": "help@shop.example"}
    fields |= {"Subject": subject, "Message-ID": "<m1@example.org>", "MIME-Version": "1.0"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    return b"".join(octets(name) + b": " + octets(value) + b"\n" for name, value in fields.items()) + entity
