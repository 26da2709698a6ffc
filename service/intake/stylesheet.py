"""What a mail's <style> hides: classes and ids by rules that hold on every screen.

Only selectors of one class or id are read, with or without an element's name, as mail programs and newsletters write
them; rules inside @media and other blocks hold on some screens only and hide nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
SELECTOR = re.compile(r"([a-z][a-z0-9]*)?([.#])([a-z0-9_-]{1,60})")
NAME = re.compile(r"([.#])([a-z0-9_-]{1,60})")
DISPLAY = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)")
MOST_CHARACTERS = 200_000


class Hidden:
    """Selectors whose last word on `display` is none."""

    def __init__(self, sheets: list[str]) -> None:
        self._shown: dict[tuple[str, str, str], bool] = {}
        self._doubtful: set[tuple[str, str]] = set()
        for selectors, declarations in _rules(COMMENT.sub("", "\n".join(sheets)[:MOST_CHARACTERS]).lower()):
            display = DISPLAY.search(declarations)
            for selector in selectors.split(",") if display else ():
                assert display is not None
                if found := SELECTOR.fullmatch(selector.strip()):
                    self._shown[(found[1] or "", found[2], found[3])] = display[1] != "none"
                elif display[1] != "none":  # where it holds is not looked at
                    self._doubtful.update(NAME.findall(selector.split()[-1] if selector.strip() else ""))

    def __call__(self, tag: str, attributes: dict[str, str | None]) -> bool:
        """Whether an element is hidden. A `display` written on the element itself wins, as in a browser."""
        if not self._shown:
            return False
        names = [(".", name) for name in (attributes.get("class") or "").lower().split()[:50]]
        names += [("#", (attributes.get("id") or "").lower())]
        said = [
            self._shown[key]
            for mark, name in names
            for key in ((tag, mark, name), ("", mark, name))
            if key in self._shown and (mark, name) not in self._doubtful
        ]
        return bool(said) and not all(said) and not DISPLAY.search((attributes.get("style") or "").lower())


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of the rules that stand in no block."""
    depth = start = 0
    selectors = ""
    for found in re.finditer(r"[{}]", sheet):
        if found[0] == "{":
            if depth == 0:
                selectors, start = sheet[start : found.start()].rpartition(";")[2].strip(), found.end()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                if not selectors.startswith("@"):
                    yield selectors, sheet[start : found.start()]
                start = found.end()
