"""Bytes whose label is right, wrong, unknown or missing; transfer encodings, right and damaged."""

from __future__ import annotations

import base64

from tests.service.intake.builder import Case, case, mail, part

GERMAN = "Bitte erstatten Sie die Gebühr, nicht die Torte für zwölf Euro."
RUSSIAN = "Верните деньги за доставку, а торт оставьте, пожалуйста."
CHINESE = "请退还运费，不要退蛋糕的钱。谢谢你们的帮助。"
JAPANESE = "送料を返金してください。ケーキはそのままで結構です。"
KOREAN = "배송비를 환불해 주세요. 케이크는 그대로 두세요."
POLISH = "Proszę o zwrot opłaty za dostawę, a nie za ciasto."
QUOTES = "I’d like the “fee” back – it’s €5…"
LONG = "Please refund the delivery fee of the order that came on Monday, and leave the cake as it is, it was good."


def labelled(name: str, text: str, charset: str, label: str | None, encoding: str | None = None) -> Case:
    content_type = "text/plain" if label is None else f"text/plain; charset={label}"
    return case(name, mail(part(text.encode(charset), content_type, encoding=encoding)), text=text)


def raw_body(name: str, body: bytes, text: str | None, encoding: str, label: str = "utf-8") -> Case:
    return case(
        name,
        mail(
            part(body, f"text/plain; charset={label}").replace(
                b"\n\n", b"\nContent-Transfer-Encoding: " + encoding.encode() + b"\n\n", 1
            )
        ),
        text=text,
    )


BASE64 = base64.b64encode(LONG.encode())

CASES = [
    labelled("utf-8", GERMAN, "utf-8", "utf-8"),
    labelled("utf-8 in quotes and capitals", GERMAN, "utf-8", '"UTF-8"'),
    labelled("utf8 without the dash", GERMAN, "utf-8", "utf8"),
    case("utf-8 with a byte order mark", mail(part(b"\xef\xbb\xbf" + GERMAN.encode())), text=GERMAN),
    labelled("latin-1", GERMAN, "latin-1", "iso-8859-1"),
    labelled("latin-1 as base64", GERMAN, "latin-1", "iso-8859-1", "base64"),
    labelled("latin-1 as quoted-printable", GERMAN, "latin-1", "iso-8859-1", "qp"),
    labelled("latin-9 with the euro sign", "Das kostet 5 € für Müller", "iso8859-15", "iso-8859-15"),
    labelled("windows-1252 called latin-1", QUOTES, "cp1252", "iso-8859-1"),
    labelled("windows-1252 called us-ascii", QUOTES, "cp1252", "us-ascii"),
    labelled("windows-1252 called utf-8", QUOTES, "cp1252", "utf-8"),
    labelled("latin-1 called utf-8", GERMAN, "latin-1", "utf-8"),
    labelled("windows-1252 with no label", GERMAN, "cp1252", None),
    labelled("windows-1252 called unknown-8bit", GERMAN, "cp1252", "unknown-8bit"),
    labelled("windows-1252 with a tag stuck to the label", QUOTES, "cp1252", "Windows-1252http-equivContent-Type"),
    labelled("utf-8 called latin-1", GERMAN, "utf-8", "iso-8859-1"),
    labelled("utf-8 called us-ascii", RUSSIAN, "utf-8", "us-ascii"),
    labelled("utf-8 called windows-1251", RUSSIAN, "utf-8", "windows-1251"),
    labelled("utf-8 with no label", CHINESE, "utf-8", None),
    labelled("utf-8 called x-unknown", JAPANESE, "utf-8", "x-unknown"),
    labelled("utf-8 with an empty label", GERMAN, "utf-8", '""'),
    labelled("koi8-r", RUSSIAN, "koi8-r", "koi8-r"),
    labelled("windows-1251", RUSSIAN, "cp1251", "windows-1251"),
    labelled("windows-1251 with no label", RUSSIAN, "cp1251", None),
    labelled("iso-8859-5", RUSSIAN, "iso8859-5", "iso-8859-5"),
    labelled("iso-8859-2", POLISH, "iso8859-2", "iso-8859-2"),
    labelled("windows-1250", POLISH, "cp1250", "windows-1250"),
    labelled("gb2312", CHINESE, "gb2312", "gb2312"),
    labelled("gb18030 called gb2312", "我叫朱镕基，" + CHINESE, "gb18030", "gb2312"),
    labelled("gbk", CHINESE, "gbk", "gbk"),
    labelled("big5", "請退還運費，不要退蛋糕的錢。", "big5", "big5"),
    labelled("iso-2022-jp", JAPANESE, "iso2022_jp", "iso-2022-jp"),
    labelled("iso-2022-jp called us-ascii", JAPANESE, "iso2022_jp", "us-ascii"),
    labelled("iso-2022-jp with no label", JAPANESE, "iso2022_jp", None),
    labelled("shift_jis", JAPANESE, "shift_jis", "shift_jis"),
    labelled("windows-31j marks called shift_jis", "①送料を返金してください", "cp932", "shift_jis"),
    labelled("euc-jp", JAPANESE, "euc_jp", "euc-jp"),
    labelled("euc-kr", KOREAN, "euc_kr", "euc-kr"),
    labelled("korean by its old name", KOREAN, "cp949", "ks_c_5601-1987"),
    labelled("hebrew, iso-8859-8-i", "בבקשה להחזיר את דמי המשלוח", "iso8859-8", "iso-8859-8-i"),
    labelled("greek", "Παρακαλώ επιστρέψτε τα έξοδα αποστολής", "cp1253", "windows-1253"),
    labelled("turkish called latin-5", "Lütfen kargo ücretini iade edin, şekeri değil", "cp1254", "iso-8859-9"),
    labelled("thai", "กรุณาคืนเงินค่าจัดส่ง", "tis-620", "tis-620"),
    labelled("utf-16 with a byte order mark, as base64", GERMAN, "utf-16", "utf-16", "base64"),
    labelled("utf-7", GERMAN, "utf-7", "utf-7"),
    labelled("ascii called utf-16", LONG, "ascii", "utf-16"),
    labelled("ascii called rot13, which is no charset", LONG, "ascii", "rot13"),
    labelled("ascii called base64, which is no charset", LONG, "ascii", "base64"),
    case(
        "utf-8 with one word of windows-1252",
        mail(part("Gebühr zurück ".encode() + "für".encode("cp1252") + b" Mina")),
        text="Gebühr zurück für Mina",
    ),
    case("utf-8 cut in mid-character", mail(part("Zwölf €".encode()[:-1])), text="Zwölf \ufffd"),
    case("NUL and bell are not text", mail(part(b"Refund\0 the\x07 fee\x1b, please")), text="Refund the fee, please"),
    case("a lone surrogate in utf-8", mail(part(b"fee \xed\xa0\x80 back")), words_contain="fee "),
    raw_body("base64 in one line", BASE64, LONG, "base64"),
    raw_body("base64 in lines of odd length", b"\n".join([BASE64[:13], BASE64[13:50], BASE64[50:]]), LONG, "BASE64"),
    raw_body("base64 without its padding", BASE64.rstrip(b"="), LONG, "base64"),
    raw_body("base64 with junk characters", BASE64[:20] + b"!*\x80 " + BASE64[20:], LONG, "base64"),
    raw_body("base64 with spaces in lines", BASE64[:20] + b"  \n " + BASE64[20:], LONG, "base64"),
    raw_body(
        "base64 of two pieces, each padded",
        base64.b64encode(b"Refund the fee") + b"\n" + base64.b64encode(b", not the cake"),
        "Refund the fee, not the cake",
        "base64",
    ),
    raw_body(
        "base64 with a list's footer",
        base64.b64encode(b"Refund the fee, please.") + b"\n-- \nTo leave the list, write to us.\n",
        "Refund the fee, please.",
        "base64",
    ),
    raw_body("base64 by its label only", LONG.encode(), LONG, "base64"),
    raw_body(
        "quoted-printable with soft breaks",
        b"Refund the deli=\nvery fee=20=\n, not the cake.",
        "Refund the delivery fee , not the cake.",
        "quoted-printable",
    ),
    raw_body(
        "quoted-printable soft break with a space after it",
        b"Refund the deli= \nvery fee.",
        "Refund the delivery fee.",
        "quoted-printable",
    ),
    raw_body("quoted-printable in small letters", b"Geb=c3=bchr", "Gebühr", "quoted-printable"),
    raw_body("quoted-printable with a lone equals sign", b"5 = five, =ZZ", "5 = five, =ZZ", "quoted-printable"),
    raw_body("quoted-printable that ends in an equals sign", b"Refund the fee=", "Refund the fee", "quoted-printable"),
    raw_body("quoted-printable with raw 8-bit", "Gebühr =3D 5".encode(), "Gebühr = 5", "Quoted-Printable"),
    raw_body("an encoding that no one knows", b"Refund the fee.", "Refund the fee.", "8-bits-or-so"),
    case("uuencoded", mail(part(LONG, encoding="uu")), text=LONG),
]
