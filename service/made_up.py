"""Personal details out of a mail, made-up ones of the same shape in: addresses, numbers, names the caller knows.

Digits become other digits, so that an order number stays one; the same detail gets the same stand-in everywhere in the
mail. Finding every name in free text is beyond rules: those of sender and recipients are known, others can be given.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from email.utils import getaddresses

EMAIL = r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
LINK = r"(?:https?://|www\.)[^\s<>\"']+"
STREET = "|".join(
    (
        r"\d+[a-z]?,? +(?:[^\W\d]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Court|Square|Terrace)\b",
        r"\d+(?: (?:bis|ter))?,? +(?:rue|avenue|boulevard|place|chemin|impasse|allée|quai)"
        r"(?: (?:de|du|des|la|le|les)){0,3}"
        r"(?: [dl]['’])? ?[A-ZÀ-Ý][\w'’-]{0,40}(?: [A-ZÀ-Ý][\w'’-]{0,40}){0,3}",
        r"[A-ZÄÖÜ][\w-]{0,40}(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Ss]traat|[Gg]racht|[Ll]aan)"
        r" \d+ ?[a-z]?\b",
        r"(?:Calle|Avenida|Avda\.?|Plaza|Via|Viale|Piazza|Corso|Rua|Praça|ul\.|al\.|os\.)"
        r"(?: (?:de|del|della|di|da|do|la)){0,3}"
        r"(?: [A-ZÀ-ÝĄĆĘŁŃÓŚŹŻ][\w'’-]{0,40}){1,3},? (?:n[º°.] ?)?\d+(?:/\d+|[a-z])?\b",
    )
)
TOWN = "|".join(  # a line of its own: amid a sentence a number and a capital are an order and the next sentence
    (
        r"^[^\S\n]*(?:[A-Z]{1,3}-)?(?:\d{2}-\d{3}|\d{3} \d{2}|\d{4,5}(?: [A-Z]{2})?)[ ,]{1,3}"
        r"[A-ZÀ-ÝĄĆĘŁŃÓŚŹŻ][^\W\d_]{1,40}(?:[ '’-][^\W\d_]{1,40}){0,3}"
        r"[^\S\n]*,?[^\S\n]*$",
        r"^[^\S\n]*[^\W\d_]{2,40}(?:[ '’-][^\W\d_]{1,40}){0,3},? +[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}[^\S\n]*,?[^\S\n]*$",
        r"^[^\S\n]*[^\W\d_]{2,40}(?:[ '’-][^\W\d_]{1,40}){0,3}, [A-Z]{2} \d{5}(?:-\d{4})?[^\S\n]*,?[^\S\n]*$",
    )
)
SPOKEN = (  # mina at example dot org
    r"\b[\w.+-]{1,64} ?[\[(]?\b(?i:at)\b[\])]? ?(?!(?:the|a|an|this|that|my|your) )[\w-]{1,64}"
    r"(?: ?[\[(]?\b(?i:dot)\b[\])]? ?[\w-]{1,64}){1,5}"
)
BIRTH_WORD = (
    r"\b(?i:born|d\.?o\.?b\b|date of birth|birth ?date|birthday|geboren|geburtsdatum|née?|"
    r"nacid[oa]|nascid[oa]|nat[oa] il|"
    r"fecha de nacimiento|date de naissance|data di nascita|geboortedatum|urodzon[ya]|data urodzenia)"
)
DATE = (
    r"\d{1,4}(?:[./-] ?)\d{1,2}(?:[./-] ?)\d{1,4}|"
    r"\d{1,2}(?:st|nd|rd|th)?\.?(?: (?:of|de|di))? [^\W\d_]{3,10}\.?,?(?: de)? \d{2,4}|"
    r"[^\W\d_]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{2,4}"
)
BIRTH = rf"{BIRTH_WORD}[^\d\n]{{0,20}}?\b(?P<born>{DATE})\b"
CODE = r"\b(?=[A-Z0-9/-]{0,40}\d)(?=[A-Z0-9/-]{0,40}[A-Z])[A-Z0-9][A-Z0-9/-]{3,}\b"  # an order, a parcel
NUMBER = r"\+?\d[\d ().-]{0,40}\d{2,}"  # three digits or more, also in groups: a telephone, a card, an order
KINDS = {"email": EMAIL, "spoken": SPOKEN, "link": LINK, "birth": BIRTH, "town": TOWN, "street": STREET}
KINDS |= {"code": CODE, "number": NUMBER}
FOUND = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()), re.MULTILINE)
NAMES = ("Alba", "Bram", "Chidi", "Dana", "Emre", "Farah", "Gil", "Hedda", "Imre", "Jodie", "Kaveh", "Lena")
MIN_NAME_LETTERS = 3  # shorter words of a name are common words too


def names_of(addresses: Iterable[str | None]) -> list[str]:
    """The words of the display names in address headers, longest first."""
    shown = getaddresses([address for address in addresses if address])
    words = {word for name, _ in shown for word in re.findall(r"[^\W\d_]+", name) if len(word) >= MIN_NAME_LETTERS}
    return sorted(words, key=lambda word: (-len(word), word))


def stand_ins(text: str, names: Iterable[str], *, seed: str) -> dict[str, str]:
    """Detail → stand-in, for everything in the text that looks personal or is one of the names."""
    rng = random.Random(seed)
    found = {}
    for match in FOUND.finditer(text):
        kind = next(kind for kind in KINDS if match[kind] is not None)
        detail = match["born"] if kind == "birth" else match.group().strip(" \t,")
        found[detail] = _stand_in(kind, detail, rng)
    free = [name for name in NAMES if name.casefold() not in text.casefold()] or list(NAMES)
    rng.shuffle(free)
    for number, name in enumerate(dict.fromkeys(name for name in names if name)):
        if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
            found[name] = free[number % len(free)]
    return found


def _stand_in(kind: str, detail: str, rng: random.Random) -> str:
    if kind in ("email", "spoken"):
        return f"customer{rng.randrange(10, 100)}@example.org"
    if kind == "link":
        return "https://example.org/"
    if kind == "birth":
        return f"{rng.randrange(10, 29)}/0{rng.randrange(1, 10)}/19{rng.randrange(50, 100)}"
    if kind == "town":
        return f"{rng.randrange(10_000, 100_000)} Milltown"
    if kind == "street":
        return f"{rng.randrange(10, 100)} Mill Street"
    return "".join(_other(letter, rng) for letter in detail)


def _other(letter: str, rng: random.Random) -> str:
    """Another digit for a digit, another capital for a capital; separators stay."""
    if letter.isdigit():
        return rng.choice([digit for digit in "123456789" if digit != letter])
    if letter.isupper():
        return rng.choice([other for other in "ABCDEFGHKLMNPRSTUVWXYZ" if other != letter])
    return letter


def replaced(text: str, details: Mapping[str, str]) -> str:
    """The text with each detail's stand-in, in one pass: no stand-in is replaced again."""
    if not details:
        return text
    lookup = {detail.casefold(): stand_in for detail, stand_in in details.items()}
    longest_first = sorted(details, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(detail)}(?!\w)" for detail in longest_first)
    return re.sub(pattern, lambda match: lookup[match.group().casefold()], text, flags=re.IGNORECASE)
