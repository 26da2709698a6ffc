"""Subjects, addresses, ids and dates as they come."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.service.intake.builder import Case, case, mail, part

BODY = part("Refund the fee.")


def subject(name: str, value: str | bytes, expected: str | None) -> Case:
    return case(name, mail(BODY, subject=value), subject=expected, text="Refund the fee.")


def sender(name: str, value: str | bytes, expected: str | None) -> Case:
    return case(name, mail(BODY, From=value), sender=expected)


CASES = [
    subject("plain subject", "Refund, please", "Refund, please"),
    subject("subject over two lines", "Refund\n the fee", "Refund the fee"),
    subject("subject over two lines with a tab", "Refund\n\tthe fee", "Refund the fee"),
    subject("empty subject", "", None),
    subject("raw utf-8 subject", "Gebühr zurück".encode(), "Gebühr zurück"),
    subject("raw windows-1252 subject", "Gebühr zurück".encode("cp1252"), "Gebühr zurück"),
    subject("Q word", "=?utf-8?Q?Geb=C3=BChr_zur=C3=BCck?=", "Gebühr zurück"),
    subject("B word", "=?UTF-8?B?R2Viw7xociB6dXLDvGNr?=", "Gebühr zurück"),
    subject("small b", "=?utf-8?b?R2Viw7xocg==?=", "Gebühr"),
    subject("B word without padding", "=?utf-8?B?R2Viw7xocg?=", "Gebühr"),
    subject("word with a language", "=?utf-8*de?Q?Geb=C3=BChr?=", "Gebühr"),
    subject("two words, the space between them is not text", "=?utf-8?Q?Geb?= =?utf-8?Q?=C3=BChr?=", "Gebühr"),
    subject("a character split between two Q words", "=?utf-8?Q?Geb=C3?=\n =?utf-8?Q?=BChr?=", "Gebühr"),
    subject("a character split between two B words", "=?utf-8?B?R2Viww==?=\n =?utf-8?B?vGhy?=", "Gebühr"),
    subject("words of two charsets", "=?utf-8?Q?=C3=BC?= =?iso-8859-1?Q?=FC?=", "üü"),
    subject("words without a space between them", "=?utf-8?Q?Geb=C3=BC?==?utf-8?Q?hr?=", "Gebühr"),
    subject("a word stuck to text", "Re:=?utf-8?Q?Geb=C3=BChr?=x", "Re:Gebührx"),
    subject("text before and after a word", "Re: =?utf-8?Q?Geb=C3=BChr?= please", "Re: Gebühr please"),
    subject("a Q word with raw spaces", "=?utf-8?Q?the fee back?=", "the fee back"),
    subject("a Q word with a question mark", "=?utf-8?Q?Fee?_Which?=", "Fee? Which"),
    subject("a word cut short", "=?utf-8?Q?Geb=C3=BChr", "Gebühr"),
    subject("a word cut in mid-character", "=?utf-8?Q?Gro=C3=9Fe_Geb=C3", "Große Geb"),
    subject("a word that ends in one question mark", "=?utf-8?B?R2Viw7xocg==?", "Gebühr"),
    subject("an unknown charset in a word", "=?x-who?Q?Geb=C3=BChr?=", "Gebühr"),
    subject("a word that lies about utf-8", "=?utf-8?Q?Geb=FChr?=", "Gebühr"),
    subject("gb2312 that is gb18030", "=?gb2312?B?1tzpRrv5?=", b"\xd6\xdc\xe9\x46\xbb\xf9".decode("gb18030")),
    subject("iso-2022-jp word", "=?ISO-2022-JP?B?GyRCQXdOQRsoQg==?=", "送料"),
    subject("a word in quotes", '"=?utf-8?Q?Geb=C3=BChr?="', '"Gebühr"'),
    subject("what is no word", "5 =? 6 ?= 7", "5 =? 6 ?= 7"),
    subject("a NUL in the subject", b"Refund\0 me", "Refund me"),
    subject("an encoded line break cannot make a header", "=?utf-8?Q?a=0D=0ABcc:_x@y.example?=", "a Bcc: x@y.example"),
    sender("name and address", "Mina Rao <mina@example.org>", "mina@example.org"),
    sender("bare address", "mina@example.org", "mina@example.org"),
    sender("domain in capitals", "Mina <Mina@Example.ORG>", "Mina@example.org"),
    sender("name in quotes with a comma", '"Rao, Mina" <mina@example.org>', "mina@example.org"),
    sender("name with a comma and no quotes", "Rao, Mina <mina@example.org>", "mina@example.org"),
    sender("name that is an address", '"evil@bad.example" <mina@example.org>', "mina@example.org"),
    sender("encoded name", "=?utf-8?Q?M=C3=AFna?= <mina@example.org>", "mina@example.org"),
    sender("encoded address as a whole", "=?utf-8?Q?Mina_=3Cmina=40example.org=3E?=", "mina@example.org"),
    sender("comment after the address", "mina@example.org (Mina Rao)", "mina@example.org"),
    sender("two angles", "Mina <<mina@example.org>>", "mina@example.org"),
    sender("space inside the angles", "Mina < mina@example.org >", "mina@example.org"),
    sender("quote that never ends", '"Mina Rao <mina@example.org>', "mina@example.org"),
    sender("mailto in the angles", "Mina <mailto:mina@example.org>", "mina@example.org"),
    sender("raw utf-8 name", "Mïna <mina@example.org>".encode(), "mina@example.org"),
    sender("address with a raw letter", "Mïna <mïna@exämple.org>".encode(), "mïna@exämple.org"),
    sender("deep comments", "(" * 3000 + "mina@example.org", "mina@example.org"),
    sender("no address", "Mina Rao", None),
    case("no From, but Sender", mail(BODY, From="", Sender="m@example.org"), sender="m@example.org"),
    case(
        "To and Cc, each once",
        mail(BODY, To="Help <help@shop.example>, b@x.example", Cc="team: c@x.example, help@shop.example;"),
        recipients=("help@shop.example", "b@x.example", "c@x.example"),
    ),
    case("message id", mail(BODY), message_id="<m1@example.org>"),
    case("message id over two lines", mail(BODY, Message_ID="\n <m2@example.org>"), message_id="<m2@example.org>"),
    case("message id without angles", mail(BODY, Message_ID="m3@example.org"), message_id="<m3@example.org>"),
    case("no message id", mail(BODY, Message_ID=""), message_id=None),
    case(
        "threading",
        mail(BODY, In_Reply_To="Your mail of Monday <a@x>", References="<a@x>\n <b@x><c@x>"),
        in_reply_to="<a@x>",
        references=("<a@x>", "<b@x>", "<c@x>"),
    ),
    case(
        "the last relay's time",
        mail(BODY, Received="from a by b; Tue, 1 Dec 2026 10:00:00 +0530", Date="Mon, 1 Jan 2001 00:00:00 +0000"),
        received_at=datetime(2026, 12, 1, 4, 30, tzinfo=UTC),
    ),
    case("the date", mail(BODY, Date="1 Dec 2026 10:00 GMT"), received_at=datetime(2026, 12, 1, 10, tzinfo=UTC)),
    case(
        "no zone is UTC", mail(BODY, Date="Tue, 1 Dec 2026 10:00:00"), received_at=datetime(2026, 12, 1, 10, tzinfo=UTC)
    ),
    case("a date that is none", mail(BODY, Date="yesterday"), received_at=None),
    case("a date of no calendar", mail(BODY, Date="Tue, 99 Dec 2026 99:00:00 +9999"), received_at=None),
    case("a year out of range", mail(BODY, Date="Tue, 1 Dec 9999 23:59:59 -2359"), received_at=None),
    case("a field without a colon", b"Nonsense here\nSubject: x\n\nRefund", words_contain="Refund"),
    case("the first of two subjects", mail(BODY, subject="one\nSubject: two"), subject="one"),
    case(
        "a field name in capitals",
        b"SUBJECT: Refund\nFROM: a@x.example\n\nBody",
        subject="Refund",
        sender="a@x.example",
    ),
]
