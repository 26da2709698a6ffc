"""What people type to find mails, as both databases' full-text indexes ask it.

Every word has to occur; `"some words"` have to stand side by side, `-word` must not occur, `word*` is a beginning.
Capitals and accents make no difference, and no word is cut down to a stem: the mails are in many languages.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from service.errors import InvalidRequest

MAX_WORDS = 16
TERM = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')


@dataclass(frozen=True)
class Term:
    """Words that stand side by side; the last may be only the beginning of one."""

    words: tuple[str, ...]
    excluded: bool = False
    beginning: bool = False

    def fts5(self) -> str:
        return f'"{" ".join(self.words)}"' + ("*" if self.beginning else "")

    def tsquery(self) -> str:
        *before, last = self.words
        phrase = " <-> ".join([*(f"'{word}'" for word in before), f"'{last}'" + (":*" if self.beginning else "")])
        return f"{'!' if self.excluded else ''}({phrase})"


@dataclass(frozen=True)
class Search:
    terms: tuple[Term, ...]

    def fts5(self) -> str:
        """In SQLite's words; https://sqlite.org/fts5.html, section 3."""
        wanted = " AND ".join(term.fts5() for term in self.terms if not term.excluded)
        return " NOT ".join([f"({wanted})", *(term.fts5() for term in self.terms if term.excluded)])

    def tsquery(self) -> str:
        """In PostgreSQL's words, for to_tsquery."""
        return " & ".join(term.tsquery() for term in self.terms)


def words_of(text: str) -> list[str]:
    """Runs of letters, digits and the marks on them, in small letters and without accents."""
    folded = unicodedata.normalize("NFD", text).lower()
    kept = "".join(" " if not _in_word(character) else character for character in folded if not _is_accent(character))
    return kept.split()


def _is_accent(character: str) -> bool:
    return "\u0300" <= character <= "\u036f"


def _in_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LN" or category in ("Mn", "Mc", "Co")


def parse_search(asked: str) -> Search:
    """Raises InvalidRequest where there is no word to find, or too many."""
    terms = []
    for minus, quoted, plain in TERM.findall(asked):
        if words := words_of(quoted or plain):
            terms.append(Term(tuple(words), bool(minus), plain.endswith("*")))
    if not any(not term.excluded for term in terms):
        raise InvalidRequest("q: holds no word to find")
    if (count := sum(len(term.words) for term in terms)) > MAX_WORDS:
        raise InvalidRequest(f"q: {count} words are more than {MAX_WORDS}")
    return Search(tuple(terms))
