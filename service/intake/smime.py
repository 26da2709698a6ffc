"""The mail inside an S/MIME envelope that only signs it (RFC 8551, section 3.5.2). No signature is checked."""

from __future__ import annotations

from collections.abc import Iterator

SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # CMS object identifiers, RFC 5652
DATA = bytes.fromhex("2a864886f70d010701")
IDENTIFIER, OCTETS, CONSTRUCTED = 0x06, 0x04, 0x20
STEPS = 100_000  # values that are walked; a mail cut into kilobytes has 25,000


def is_signed_data(raw: bytes) -> bool:
    return SIGNED_DATA in raw[:64]


def signed_content(raw: bytes) -> bytes | None:
    """The octets that were signed; None for what is no CMS SignedData with its content."""
    pieces: list[bytes] = []
    inside = False
    for tag, value in _values(raw):
        if tag == OCTETS and inside:
            pieces.append(value)
        elif pieces:
            break  # certificates and signatures
        else:
            inside = inside or (tag == IDENTIFIER and value == DATA)
    return b"".join(pieces) or None


def _values(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Every primitive value of BER in order, lengths definite or not; stops where it is none."""
    position = 0
    for _ in range(STEPS):
        if position + 2 > len(raw):
            return
        tag, length = raw[position], raw[position + 1]
        position += 2
        if length > 0x80:
            more = length & 0x7F
            length = int.from_bytes(raw[position : position + more], "big")
            position += more
        elif length == 0x80:
            length = 0
        if tag & CONSTRUCTED or tag == 0:  # its values follow; 0 ends an indefinite length
            if tag not in (0x24, 0):
                yield tag, b""
            continue
        yield tag, raw[position : position + length]
        position += length
