"""Lines from words, breaks, lists, cells and quotes, as a reader would copy them from the screen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SPACES = re.compile(r"[ \t\n\r\f]+")
FILLERS = re.compile("[\u00ad\u034f\u200b\u2060\ufeff]")  # newsletters pad the preview with them
NAMING_LINES = 5  # read above a quote for who is quoted
CELL_GAP = "  "
DEEPEST_TABLE = 20  # tables in tables whose cells are still set side by side


@dataclass
class Line:
    depth: int
    text: str


@dataclass
class Row:
    """The lines of each closed cell, and where the open one put the lines around it."""

    cells: list[list[Line]] = field(default_factory=list)
    around: list[list[Line]] = field(default_factory=list)


class Layout:
    """Collects lines; `depth` is the quote depth, `lists` a number or None for each open list."""

    def __init__(self) -> None:
        self.depth = 0
        self.lists: list[int | None] = []
        self._quotes: list[bool] = []
        self._lines: list[Line] = []
        self._current: list[str] = []
        self._space = False
        self._blank = False
        self._rows: list[Row] = []
        self._marker = ""

    def words(self, text: str, *, pre: bool) -> None:
        """Text on the current line; as written where `pre`."""
        text = FILLERS.sub("", text)
        if not self._current and not pre:
            text = text.lstrip(" \t\n\r\f\xa0") if text.strip(" \t\n\r\f\xa0") else text
        if pre:
            first, *rest = text.split("\n")
            self._add(first)
            for line in rest:
                self.line_break()
                self._add(line)
            return
        if not text:
            return
        collapsed = SPACES.sub(" ", text)
        if collapsed[0] == " ":
            self._space = True
            collapsed = collapsed[1:]
        if collapsed:
            more = collapsed[-1] == " "
            self._add(collapsed.rstrip(" "))
            self._space = more

    def _add(self, text: str) -> None:
        if not text:
            return
        if self._space and self._current:
            self._current.append(" ")
        self._space = False
        if not self._current and self._blank:
            self._empty_line()
        if self._marker:
            self._current.append(self._marker)
            self._marker = ""
        self._current.append(text)

    def _empty_line(self) -> None:
        self._blank = False
        if self._lines and self._lines[-1].text:
            self._lines.append(Line(min(self.depth, self._lines[-1].depth), ""))

    def line_break(self) -> None:
        """A `br`: ends the line, or is an empty one."""
        if self._current:
            self.end_line(blank=False)
        else:
            self._blank = True

    def end_line(self, *, blank: bool) -> None:
        """The end or begin of a block, with an empty line where its margins ask for one."""
        if self._current:
            text = "".join(self._current).replace("\xa0", " ").rstrip()
            self._current = []
            if text.strip():
                self._lines.append(Line(self.depth, text))
            else:
                self._blank = True
        self._space = False
        self._blank = not self._marker and (self._blank or blank)

    def whole_line(self, text: str) -> None:
        self.end_line(blank=False)
        if self._lines and self._lines[-1].text == "---":
            self._lines.pop()  # Outlook writes a rule before its own separator
        self._add(text)
        self.end_line(blank=False)

    def marker(self) -> None:
        """A list item's bullet or number."""
        number = self.lists[-1] if self.lists else None
        if number is not None:
            self.lists[-1] = number + 1
        indent = "  " * (min(len(self.lists), 20) - 1)
        self._marker = f"{indent}{'-' if number is None else f'{number}.'} "

    def end_item(self) -> None:
        """An item without words leaves no marker."""
        self.end_line(blank=False)
        self._marker = ""

    def last_lines(self) -> list[str]:
        """The newest four lines, without blank ones below them."""
        found: list[str] = []
        for line in reversed(self._lines[-NAMING_LINES:]):
            if line.text or found:
                found.append(line.text)
        return found[::-1]

    def open_quote(self, *, another: bool) -> None:
        """Another's words begin, or the writer's own that are only set off."""
        self._quotes.append(another)
        self.depth += another

    def close_quote(self) -> None:
        self.depth -= self._quotes.pop() if self._quotes else False

    def open_row(self) -> None:
        self._rows.append(Row())

    def open_cell(self) -> None:
        self.end_line(blank=False)
        if self._rows and len(self._rows) <= DEEPEST_TABLE:
            self._rows[-1].around.append(self._lines)
            self._lines = []
            self._blank = False

    def close_cell(self) -> None:
        self.end_line(blank=False)
        if self._rows and self._rows[-1].around:
            self._rows[-1].cells.append(self._lines)
            self._lines = self._rows[-1].around.pop()
            self._blank = False

    def close_row(self) -> None:
        """Cells of a line each stand side by side; longer ones one under the other."""
        self.end_line(blank=False)
        if not self._rows:
            return
        row = self._rows.pop()
        cells = [cell for cell in row.cells if any(line.text for line in cell)]
        if not cells:
            return
        if self._blank:
            self._empty_line()
        if all(len(cell) == 1 for cell in cells):
            self._lines.append(Line(cells[0][0].depth, CELL_GAP.join(cell[0].text for cell in cells)))
            return
        for cell in cells:
            self._lines += cell

    def text(self) -> str:
        """All lines, quoted ones behind a `> ` for each depth."""
        self.end_line(blank=False)
        return "\n".join(self._written()).strip("\n")

    def quoted(self) -> frozenset[int]:
        """The numbers of the quoted lines of `text`."""
        before = next((number for number, written in enumerate(self._written()) if written), 0)
        return frozenset(number - before for number, line in enumerate(self._lines) if line.depth)

    def _written(self) -> list[str]:
        return [f"{'> ' * min(line.depth, 50)}{line.text}".rstrip() for line in self._lines]
