"""Where the fuzzer starts: the tests' own mails and threads, and the words that mails are made of."""

from __future__ import annotations

import random

from tests.service.intake.test_cut import THREADS
from tests.service.intake.test_eml import PATHS
from tests.service.intake.test_mime import CASES

MOST_BYTES = 16_384
TOKENS = (
    b"Content-Type: |Content-Transfer-Encoding: |Content-Disposition: attachment; filename=|Message-ID: <|Subject: "
    b"|From: |To: |Date: Mon, 6 May 2024 10:00:00 +0200|Received: ; |References: <|Auto-Submitted: auto-replied"
    b"|MIME-Version: 1.0|text/plain|text/html|text/calendar; method=REPLY|text/enriched|multipart/mixed; boundary=b1"
    b"|multipart/alternative; boundary=b1|multipart/related; boundary=b1|multipart/signed|multipart/encrypted"
    b"|multipart/report|message/rfc822|message/delivery-status|application/ms-tnef|application/pkcs7-mime|smime.p7m"
    b"|; charset=utf-8|; charset=utf-7|; charset=iso-2022-jp|; charset=gb2312|; charset=utf-16|; charset=hz"
    b"|; charset=x-unknown|; format=flowed|; delsp=yes|*0*=utf-8''%41|*1=|name*=|quoted-printable|base64|x-uuencode"
    b"|8bit|\n--b1\n|\n--b1--\n|\n\n|=?utf-8?Q?|=?utf-8?B?|?=|=\n|=3D|\x1b$B|\x1b(B|\xef\xbb\xbf|\xff\xfe|begin 644 a"
    b"|-----BEGIN PGP MESSAGE-----|-----BEGIN PGP SIGNED MESSAGE-----|-----BEGIN PGP SIGNATURE-----|<blockquote>"
    b"|</blockquote>|<table><tr><td>|<div style='display:none'>|<style>.a{display:none}</style>|<li>|<ol start=9>"
    b"|<pre>|<!--|-->|&#x41;|&nbsp;|<br>|<a href=|<img alt=|<div id=divRplyFwdMsg>|<hr>|\n> |\n>> |\n-- \n"
    b"|\n____________|\nOn 6 May 2024 10:00, A <a@b.example> wrote:\n|-----Original Message-----"
    b"|---------- Forwarded message ---------|Begin forwarded message:"
    b"|Sent from my iPhone|Kind regards,\n|+44 20 7946 0000|see below"
).split(b"|")


def mails() -> list[bytes]:
    """Every fixture of the intake's tests that is short enough, threads as mails of their own."""
    found = [case.raw for case in CASES] + [path.read_bytes() for path in PATHS]
    head = b"From: a@b.example\nContent-Type: text/plain; charset=utf-8\n\n"
    found += [head + thread.body.encode() for thread in THREADS]
    return [raw for raw in found if len(raw) <= MOST_BYTES]


def spliced(raw: bytes, seed: int, lines: list[bytes]) -> bytes:
    """A mail with lines of it doubled or dropped, or with other mails' lines or a token put in."""
    dice = random.Random(seed)
    own = raw.split(b"\n")
    for _ in range(dice.randint(1, 4)):
        at, kind = dice.randrange(len(own) + 1), dice.randrange(4)
        if kind == 0:
            own[at : at + dice.randint(1, 4)] = []
        elif kind == 1:
            start = dice.randrange(len(own) + 1)
            own[at:at] = own[start : start + dice.randint(1, 6)]
        elif kind == 2:
            start = dice.randrange(len(lines))
            own[at:at] = lines[start : start + dice.choice((1, 1, 3, 12))]
        elif at < len(own):
            where = dice.randrange(len(own[at]) + 1)
            own[at] = own[at][:where] + dice.choice(TOKENS) + own[at][where:]
    return b"\n".join(own)
