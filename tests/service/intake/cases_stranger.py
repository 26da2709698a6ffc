"""Mails as a stranger broke them, written before they were read: false and missing labels, odd frames."""

from __future__ import annotations

import base64

from tests.service.intake.builder import case, html, mail, multi, part

JAPANESE = "送料だけ返金してください。ケーキは食べました。"
RUSSIAN = "Верните плату за доставку, а не торт."
CHINESE = "请只退运费,不要退蛋糕。谢谢你们。"
TAIWANESE = "請只退運費,不要退蛋糕。謝謝你們,我很喜歡。"
KOREAN = "배송비만 환불해 주세요. 케이크는 좋았어요."
GREEK = "Επιστρέψτε μόνο τα μεταφορικά, όχι το κέικ."
GERMAN = "Bitte erstatten Sie die Gebühr, nicht den Kuchen."
FEE = "Refund the fee."
PLAIN = "text/plain; charset="

CASES = [
    case("Shift JIS labelled utf-8", mail(part(JAPANESE.encode("cp932"), PLAIN + "utf-8")), words=JAPANESE),
    case("EUC-JP labelled iso-2022-jp", mail(part(JAPANESE.encode("euc_jp"), PLAIN + "iso-2022-jp")), words=JAPANESE),
    case("KOI8-R without a label", mail(part(RUSSIAN.encode("koi8-r"), "text/plain")), words=RUSSIAN),
    case("windows-1251 labelled latin-1", mail(part(RUSSIAN.encode("cp1251"), PLAIN + "iso-8859-1")), words=RUSSIAN),
    case("GBK labelled us-ascii", mail(part(CHINESE.encode("gbk"), PLAIN + "us-ascii")), words=CHINESE),
    case("Big5 without a label", mail(part(TAIWANESE.encode("big5"), "text/plain")), words=TAIWANESE),
    case("EUC-KR labelled utf-8", mail(part(KOREAN.encode("euc_kr"), PLAIN + "utf-8")), words=KOREAN),
    case("windows-1253 without a label", mail(part(GREEK.encode("cp1253"), "text/plain")), words=GREEK),
    case(
        "French labelled latin-1 stays so", mail(part("à é è ù".encode("latin-1"), PLAIN + "latin-1")), words="à é è ù"
    ),
    case(
        "a quote that never ends in the label", mail(part(GERMAN, 'text/plain; charset="utf-8; format=x')), words=GERMAN
    ),
    case(
        "quoted-printable in small letters with a bare =",
        mail(part("Geb=c3=bchr =\n5, 100 =%", PLAIN + "utf-8", encoding="quoted-printable")),
        words="Gebühr 5, 100 =%",
    ),
    case(
        "8-bit bytes beside quoted-printable ones",
        mail(part("Gebühr =E2=82=AC5", PLAIN + "utf-8", encoding="quoted-printable")),
        words="Gebühr €5",
    ),
    case(
        "UTF-16 in base64 without a byte order mark",
        mail(part(GERMAN.encode("utf-16-le"), PLAIN + "utf-16le", encoding="base64")),
        words=GERMAN,
    ),
    case("a boundary in other letters", mail(multi("mixed", part(FEE)).replace(b"\n--b1", b"\n--B1")), words=FEE),
    case("header names with a space", f"From : a@b.example\nSubject : x\n\n{FEE}".encode(), subject="x", words=FEE),
    case(
        "no header name, but a colon with a space",
        b"From: a@b.example\n\nNote : Refund the fee.",
        words="Note : Refund the fee.",
    ),
    case("HTML for Outlook alone", mail(html(f"<!--[if mso]><p>x</p><![endif]--><p>{FEE}</p>")), words=FEE),
    case(
        "a mail in base64 as a part",
        mail(
            multi(
                "mixed",
                part("see below"),
                part(base64.encodebytes(mail(part(FEE))), "message/rfc822", encoding="Base64"),
            )
        ),
        words="see below",
    ),
]
