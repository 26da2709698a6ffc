"""Personal details out of a mail, made-up ones of the same shape in: addresses, numbers, names the caller knows.

Digits become other digits, so that an order number stays one; the same detail gets the same stand-in everywhere in the
mail. Finding every name in free text is beyond rules: those of sender and recipients are known, others can be given.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from email.utils import getaddresses

EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
LINK = r"(?:https?://|www\.)[^\s<>\"']+"
STREET = r"\d+[a-z]?,? +(?:[^\W\d]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Court|Square|Terrace)\b"
CODE = r"\b(?=[A-Z0-9/-]*\d)(?=[A-Z0-9/-]*[A-Z])[A-Z0-9][A-Z0-9/-]{3,}\b"  # letters and digits: an order, a parcel
NUMBER = r"\+?\d[\d ().-]*\d{2,}"  # three digits or more, also in groups: a telephone, a card, an order
FOUND = re.compile("|".join(f"(?:{pattern})" for pattern in (EMAIL, LINK, STREET, CODE, NUMBER)))
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
    found = {match.group(): _stand_in(match.group(), rng) for match in FOUND.finditer(text)}
    free = [name for name in NAMES if name.casefold() not in text.casefold()] or list(NAMES)
    rng.shuffle(free)
    for number, name in enumerate(dict.fromkeys(name for name in names if name)):
        if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
            found[name] = free[number % len(free)]
    return found


def _stand_in(detail: str, rng: random.Random) -> str:
    if "@" in detail:
        return f"customer{rng.randrange(10, 100)}@example.org"
    if re.match(LINK, detail):
        return "https://example.org/"
    if re.fullmatch(STREET, detail):
        return f"{rng.randrange(10, 100)} Mill {detail.split()[-1]}"
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
