"""Where card numbers, IBANs, phone numbers and mail addresses stand in a text.

Order numbers and amounts survive: a card number must pass its check digit and begin as a card network's do, an IBAN its
checksum and its country's form, and a phone number must be one that its country gives out and be written as one: with a
+, or in groups or with a leading 0, and not after a word like "order".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from phonenumbers import Leniency, PhoneNumberMatcher
from stdnum import iban, luhn
from stdnum.exceptions import ValidationError

DIGITS = re.compile(r"(?<![\w.,-])\d(?:[ \u00a0.-]?\d){11,18}(?![\w-])")
# what card networks' numbers begin with, and their lengths (ISO/IEC 7812)
CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35\d{14}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|62\d{14,17}|(?:60|81|82)\d{14}|(?:50|5[6-9]|6[37])\d{10,17}"
)
IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0-]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
LOCAL_PART = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}$")
DOMAIN = re.compile(r"@[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}")
MAY_BE_PHONE = re.compile(r"[+(（]?\d(?:[ \t\u00a0()./–-]{0,3}\d){6,}")
# Countries whose numbers are known also without their +code: those of the languages that the model reads.
REGIONS: tuple[str, ...] = (
    "GB",
    "US",
    "IN",
    "DE",
    "AT",
    "CH",
    "FR",
    "BE",
    "ES",
    "MX",
    "PT",
    "BR",
    "IT",
    "NL",
    "PL",
    "IE",
    "AU",
)
NUMBERED = re.compile(
    r"(?:order|booking|ref(?:erence)?|invoice|tracking|ticket|case|account|receipt|customer|awb|parcel|shipment|no|nr|nº|n°"
    r"|\w*number|\w*nummer|\w*nr|num|id|#|serial|candidate|member|policy|meter|zip|plz|postcode|bestell\w*|auftrag\w*|rechnung\w*|commande|facture|colis|pedido|factura|encomenda|ordine|fattura"
    r"|bestelling|zam[oó]wieni\w+|faktur\w+)[\s.:#º°-]*(?:(?:is|was|number|no|nr|id|ist|est|es)\b)?[\s.:#º°-]*$",
    re.IGNORECASE,
)
CODE = re.compile(r"[A-Z][-/]$|\b[A-Z]{2} ?$")  # LM-30-22418 is a serial number, DE 811 220 943 one for taxes
GROUPED = re.compile(r"\d[\s\u00a0()./–-]+\d")
UNKNOWN: tuple[str, ...] = ("ZZ",)  # the number itself says its country
MOST_DIGITS = 18  # with a prefix and a country's code; what is longer is a list of numbers
MOST_LOOKS = 2_000  # of each kind in one text: past them all that look like one go, for each look takes time
MOST_PHONE_LOOKS = 200  # that take most: whether a country gives the number out
LEAST_DIGITS = 9  # of a phone number that no word announces; customer numbers are shorter
CALL = re.compile(
    r"(?:phone|tel|telefon|t[eé]l[eé]phone|tel[eé]fono|telefone|telefoon|mobile?|mobil|handy|cell|call|ring|text|whatsapp"
    r"|portable|m[oó]vil|celular|cellulare|gsm|kom[oó]rk\w*|sms|fax)\b[^\d\n]{0,25}$",
    re.IGNORECASE,
)


def found(text: str) -> list[tuple[int, int]]:
    """Where something to be redacted stands, as offsets; they may overlap."""
    return [*_addresses(text), *_ibans(text), *_cards(text), *_phones(text)]


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    for match in DOMAIN.finditer(text):
        if local := LOCAL_PART.search(text, max(0, match.start() - 64), match.start()):
            yield local.start(), match.end()


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    """An IBAN may run into the next word, so shorter and shorter pieces are tried."""
    for n, match in enumerate(IBAN.finditer(text)):
        if n >= MOST_LOOKS:
            yield match.span()
            continue
        for end in range(match.end(), match.start() + 14, -1):
            if text[end - 1].isalnum() and _is_iban(text[match.start() : end]):
                yield match.start(), end
                break


def _is_iban(written: str) -> bool:
    try:
        iban.validate(written.replace("\u00a0", " "), check_country=False)  # a bank that is not listed is still one
    except ValidationError:
        return False
    return True


def _cards(text: str) -> Iterator[tuple[int, int]]:
    looks = 0
    for match in DIGITS.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if CARD.fullmatch(digits):
            looks += 1
            if looks > MOST_LOOKS or _is_card(digits):
                yield match.span()


def _is_card(digits: str) -> bool:
    return bool(luhn.is_valid(digits))


def _phones(text: str) -> Iterator[tuple[int, int]]:
    tried = 0
    for n, match in enumerate(MAY_BE_PHONE.finditer(text)):
        written = match.group()
        if (signs := sum(map(str.isdigit, written))) > MOST_DIGITS:
            continue
        if n >= MOST_LOOKS:
            yield match.span()
            continue
        before = text[max(0, match.start() - 40) : match.start()]
        if _is_numbered(before):
            continue
        asked = bool(CALL.search(before))
        if written.startswith("+"):
            regions, leniency = UNKNOWN, Leniency.POSSIBLE
        elif asked or (signs >= LEAST_DIGITS and written.startswith("00")):
            regions, leniency = REGIONS, Leniency.VALID
        elif signs >= LEAST_DIGITS and (GROUPED.search(written) or written.lstrip("(（").startswith("0")):
            regions, leniency = REGIONS, Leniency.STRICT_GROUPING
        else:
            continue
        tried += 1
        if tried > MOST_PHONE_LOOKS or any(_is_phone(written, region, leniency) for region in regions):
            yield match.span()


def _is_numbered(before: str) -> bool:
    """Whether words or signs before a number say that it is one of an order, or of a thing."""
    return bool(NUMBERED.search(before) or CODE.search(before))


def _is_phone(written: str, region: str, leniency: int) -> bool:
    return any(
        len(match.raw_string) >= len(written.strip()) - 2
        for match in PhoneNumberMatcher(written, region, leniency=leniency, max_tries=5)
    )
