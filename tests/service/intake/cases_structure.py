"""Parts in every order, damaged boundaries, attachments, mails in mails, flowed text."""

from __future__ import annotations

from tests.service.intake.builder import case, html, mail, multi, part

FEE = "Refund the delivery fee, not the cake."
TEXT = part(FEE)
HTML = html(f"<p>{FEE}</p>")
PDF = part(b"%PDF-1.4 x", "application/pdf", encoding="base64", disposition='attachment; filename="bill.pdf"')
LOGO = part(b"GIF89a", 'image/gif; name="logo.gif"', encoding="base64", disposition="inline", Content_ID="<l@x>")
NOTES = part("do not read me", "text/plain", disposition='attachment; filename="notes.txt"')
PDF_NAME = ("bill.pdf", "application/pdf")
LOGO_NAME = ("logo.gif", "image/gif")
INNER = mail(part("The cake never came."), subject="My cake", From="Anna <anna@example.net>")
NESTED = b"Content-Type: message/rfc822\n\n" + INNER
BOUNCE = multi(
    "report",
    part("Your mail could not be delivered."),
    part("Action: failed\nStatus: 5.1.1", "message/delivery-status"),
    NESTED,
    parameters="; report-type=delivery-status",
)
FLOWED = "text/plain; charset=utf-8; format=flowed"
NO_BLANK = b"From: a@x.example\nSubject: Fee\nContent-Type: text/plain\n"

CASES = [
    case("text alone", mail(TEXT), text=FEE, html=None, attachments=(), notes=()),
    case("HTML alone", mail(HTML), text=None, html=f"<p>{FEE}</p>", words=FEE),
    case("no content type", mail(part(FEE, None)), text=FEE),
    case("a content type of no sense", mail(part(FEE, "text")), text=FEE),
    case("alternative", mail(multi("alternative", TEXT, HTML)), text=FEE, html=f"<p>{FEE}</p>", attachments=()),
    case("alternative, HTML first", mail(multi("alternative", HTML, TEXT)), text=FEE, html=f"<p>{FEE}</p>"),
    case("alternative with a blank text", mail(multi("alternative", part(" \n\n"), HTML)), text=None, words=FEE),
    case("alternative of texts: the last", mail(multi("alternative", part("old"), TEXT)), text=FEE),
    case(
        "alternative with amp",
        mail(multi("alternative", TEXT, part("<p>no", "text/x-amp-html"), HTML)),
        words=FEE,
        html=f"<p>{FEE}</p>",
        attachments=(),
    ),
    case("mixed with a file", mail(multi("mixed", TEXT, PDF)), text=FEE, attached=[PDF_NAME]),
    case("mixed with the file first", mail(multi("mixed", PDF, TEXT)), text=FEE, attached=[PDF_NAME]),
    case(
        "text parts in a row are joined",
        mail(multi("mixed", TEXT, PDF, part("Thanks, Mina"))),
        text=f"{FEE}\n\nThanks, Mina",
        attached=[PDF_NAME],
    ),
    case(
        "HTML parts in a row are joined",
        mail(multi("mixed", HTML, PDF, html("<p>Mina</p>"))),
        text=None,
        words=f"{FEE}\n\nMina",
    ),
    case("text and its HTML in mixed are one body", mail(multi("mixed", TEXT, HTML)), text=FEE),
    case(
        "text and other HTML in mixed are joined",
        mail(multi("mixed", TEXT, html("<p>Sent by a list of cooks</p>"))),
        text=f"{FEE}\n\nSent by a list of cooks",
    ),
    case(
        "attached text is not the body",
        mail(multi("mixed", TEXT, NOTES)),
        text=FEE,
        attached=[("notes.txt", "text/plain")],
    ),
    case(
        "inline text with a name is not the body",
        mail(multi("mixed", TEXT, part("log", "text/plain", disposition='inline; filename="a.log"'))),
        text=FEE,
        attached=[("a.log", "text/plain")],
    ),
    case(
        "the only text has a name",
        mail(multi("mixed", part(FEE, 'text/plain; name="body.txt"', disposition="inline"), PDF)),
        text=FEE,
        note="body: a text has a file name",
    ),
    case("only an attached text", mail(multi("mixed", NOTES)), text=None, html=None),
    case("related", mail(multi("related", HTML, LOGO)), words=FEE, attached=[LOGO_NAME]),
    case("related, picture first", mail(multi("related", LOGO, HTML)), words=FEE, attached=[LOGO_NAME]),
    case(
        "related around alternative",
        mail(multi("related", multi("alternative", TEXT, HTML, boundary="b2"), LOGO)),
        text=FEE,
        html=f"<p>{FEE}</p>",
        attached=[LOGO_NAME],
    ),
    case(
        "alternative around related",
        mail(multi("alternative", TEXT, multi("related", HTML, LOGO, boundary="b2"))),
        text=FEE,
        html=f"<p>{FEE}</p>",
        attached=[LOGO_NAME],
    ),
    case(
        "mixed around related around alternative",
        mail(
            multi("mixed", multi("related", multi("alternative", TEXT, HTML, boundary="b3"), LOGO, boundary="b2"), PDF)
        ),
        text=FEE,
        html=f"<p>{FEE}</p>",
        attached=[LOGO_NAME, PDF_NAME],
    ),
    case(
        "Apple's alternative around mixed",
        mail(multi("alternative", TEXT, multi("mixed", HTML, PDF, html("<p>M</p>"), boundary="b2"))),
        text=FEE,
        attached=[PDF_NAME],
    ),
    case("an unknown multipart is mixed", mail(multi("x-odd", TEXT, PDF)), text=FEE),
    case("no end boundary", mail(multi("mixed", TEXT, PDF, end=False)), text=FEE, attached=[PDF_NAME]),
    case(
        "no end boundary inside",
        mail(multi("mixed", multi("alternative", TEXT, HTML, boundary="b2", end=False), PDF)),
        text=FEE,
        html=f"<p>{FEE}</p>",
        attached=[PDF_NAME],
    ),
    case(
        "text before and after the parts",
        mail(multi("mixed", TEXT).replace(b"\n\n--", b"\n\nMIME!\n--") + b"tail"),
        text=FEE,
    ),
    case("spaces after a boundary", mail(multi("mixed", TEXT, PDF).replace(b"--b1\n", b"--b1 \t\n")), text=FEE),
    case(
        "another boundary than announced",
        mail(multi("mixed", TEXT, PDF).replace(b'"b1"', b'"other"')),
        text=FEE,
        attached=[PDF_NAME],
        note="structure: boundary guessed",
    ),
    case(
        "no boundary announced",
        mail(multi("mixed", TEXT, PDF).replace(b'; boundary="b1"', b"")),
        text=FEE,
        attached=[PDF_NAME],
    ),
    case(
        "parts without a multipart header",
        mail(b"\n" + multi("mixed", TEXT, PDF).partition(b"\n\n")[2]),
        text=FEE,
        attached=[PDF_NAME],
    ),
    case("multipart by its label only", mail(part(FEE, 'multipart/mixed; boundary="b1"')), text=FEE),
    case(
        "a boundary that begins another",
        mail(multi("mixed", multi("alternative", TEXT, HTML, boundary="b1-2"), PDF)),
        text=FEE,
        attached=[PDF_NAME],
    ),
    case(
        "the same boundary outside and inside",
        mail(multi("mixed", multi("alternative", TEXT, HTML), PDF)),
        text=FEE,
        attached=[PDF_NAME],
    ),
    case("a multipart of nothing", mail(multi("mixed")), text=None, html=None, attachments=()),
    case("half a boundary after the end", mail(multi("mixed", TEXT) + b"x--b1\n"), text=FEE),
    case("an empty HTML", mail(html("")), text=None, html=None, notes=()),
    case("an empty part", mail(multi("mixed", b"", TEXT)), text=FEE),
    case("headers without a body", NO_BLANK, subject="Fee", text=None),
    case("empty input", b"", subject=None, sender=None, text=None, html=None),
    case("only line ends", b"\r\n\r\n\r\n", subject=None, text=None),
    case("only a body", b"\nRefund the fee", text="Refund the fee", subject=None),
    case("CRLF", mail(TEXT).replace(b"\n", b"\r\n"), text=FEE, subject="Order 5513"),
    case("CR", mail(part(f"{FEE}\nThanks")).replace(b"\n", b"\r"), text=f"{FEE}\nThanks", subject="Order 5513"),
    case("CR CR LF", mail(part(f"{FEE}\nThanks")).replace(b"\n", b"\r\r\n"), text=f"{FEE}\nThanks"),
    case("CRLF in a multipart", mail(multi("mixed", TEXT, PDF)).replace(b"\n", b"\r\n"), text=FEE, attached=[PDF_NAME]),
    case(
        "an mbox line in front",
        b"From mina@example.org Tue Dec  1 10:00:00 2026\n" + mail(TEXT),
        text=FEE,
        subject="Order 5513",
    ),
    case("empty lines in front", b"\n\r\n" + mail(TEXT), text=FEE, subject="Order 5513"),
    case(
        "a mail in a mail",
        mail(multi("mixed", TEXT, NESTED)),
        text=FEE,
        subject="Order 5513",
        attached=[("My cake", "message/rfc822")],
    ),
    case("a mail in a mail, and nothing else", mail(NESTED), text=None, attached=[("My cake", "message/rfc822")]),
    case("a digest", mail(multi("digest", b"\n" + INNER)), text=None, attached=[("My cake", "message/rfc822")]),
    case(
        "a bounce",
        mail(BOUNCE),
        text="Your mail could not be delivered.",
        automatic="report: delivery-status",
        attached=[(None, "message/delivery-status"), ("My cake", "message/rfc822")],
        forwarded=(),
    ),
    case(
        "an invitation",
        mail(multi("alternative", TEXT, part("BEGIN:VCALENDAR", "text/calendar; method=REQUEST"))),
        text=FEE,
        attached=[(None, "text/calendar")],
        note="calendar: request",
        automatic=None,
    ),
    case(
        "winmail.dat",
        mail(
            multi(
                "mixed", TEXT, part(b"\x78\x9f\x3e\x22", 'application/ms-tnef; name="winmail.dat"', encoding="base64")
            )
        ),
        text=FEE,
        attached=[("winmail.dat", "application/ms-tnef")],
        note="attachment: Outlook",
    ),
    case(
        "a file name in RFC 2231",
        mail(multi("mixed", TEXT, part(b"x", "image/png", disposition="attachment; filename*=utf-8''Geb%C3%BChr.png"))),
        attached=[("Gebühr.png", "image/png")],
    ),
    case(
        "a file name in pieces",
        mail(
            multi(
                "mixed",
                TEXT,
                part(
                    b"x",
                    "image/png",
                    disposition="attachment; filename*0*=utf-8''Ge%62; filename*1=uehr; filename*2=.png",
                ),
            )
        ),
        attached=[("Gebuehr.png", "image/png")],
    ),
    case(
        "a file name in RFC 2047",
        mail(
            multi("mixed", TEXT, part(b"x", "image/png", disposition='attachment; filename="=?utf-8?Q?G=C3=BC.png?="'))
        ),
        attached=[("Gü.png", "image/png")],
    ),
    case(
        "a file name with a path",
        mail(multi("mixed", TEXT, part(b"x", "image/png", disposition='attachment; filename="..\\\\..\\\\a.png"'))),
        attached=[("a.png", "image/png")],
    ),
    case(
        "flowed lines",
        mail(part("Refund the \ndelivery fee, \nnot the cake.\n\nThanks", FLOWED)),
        text=f"{FEE}\n\nThanks",
    ),
    case(
        "flowed with delsp",
        mail(part("送料を \n返金して \nください", FLOWED + "; delsp=yes")),
        text="送料を返金してください",
    ),
    case(
        "flowed quotes",
        mail(part("> Refund the \n> fee?\nYes, \nplease", FLOWED)),
        text="> Refund the fee?\nYes, please",
    ),
    case("flowed with a signature", mail(part("Refund it. \n-- \nMina", FLOWED)), text="Refund it. \n-- \nMina"),
    case(
        "flowed with stuffed lines", mail(part(" From me\n >not a quote", FLOWED)), text="From me\n\u2060>not a quote"
    ),
    case("HTML called plain", mail(part(f"<html><body><p>{FEE}</p></body></html>")), text=None, words=FEE),
    case("plain called HTML", mail(html("Refund it.\n\nThanks")), text="Refund it.\n\nThanks"),
    case(
        "enriched",
        mail(part("<bold>Refund</bold> it <color><param>red</param>now</color>", "text/enriched")),
        text="Refund it now",
    ),
    case(
        "a picture and no text",
        mail(part(b"GIF89a", 'image/gif; name="a.gif"', encoding="base64")),
        text=None,
        html=None,
        attached=[("a.gif", "image/gif")],
    ),
]
