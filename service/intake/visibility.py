"""Which elements of a mail's HTML a reader sees, by the styles written on them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

ZERO = r"\s*:\s*0*\.?0*(?:px|pt|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)"
HIDING = re.compile(rf"(?:^|[;\s])(?:mso-hide\s*:\s*all|opacity{ZERO})")
DISPLAY = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)")
NO_HEIGHT = re.compile(rf"(?:^|[;\s])height{ZERO}")
NO_MAXIMUM = re.compile(rf"(?:^|[;\s])max-height{ZERO}")
OVERFLOW = re.compile(r"(?:^|[;\s])overflow(?:-y)?\s*:\s*([a-z]+)")
VISIBILITY = re.compile(r"(?:^|[;\s])visibility\s*:\s*(hidden|collapse|visible|inherit)")
FONT_SIZE = re.compile(r"(?:^|[;\s])font-size\s*:\s*([^;!]{1,20})")
NOTHING = re.compile(r"0*\.?0*(?:px|pt|em|rem|%)?\s*")
WHITE_SPACE = re.compile(r"(?:^|[;\s])white-space\s*:\s*(pre|pre-wrap|pre-line|break-spaces|normal|nowrap)\b")
STYLE_CHARACTERS = 10_000


@dataclass(frozen=True)
class Sight:
    """What text inherits: a font size of nothing and `visibility` can be undone by an element inside."""

    shown: bool = True
    sized: bool = True
    pre: bool = False

    @property
    def visible(self) -> bool:
        return self.shown and self.sized


def sight(tag: str, attributes: dict[str, str | None], outer: Sight) -> Sight | None:
    """How an element's text is seen; None where nothing in it can be."""
    style = (attributes.get("style") or "")[:STYLE_CHARACTERS].lower()
    if "hidden" in attributes or (tag == "input"):
        return None
    seen = replace(outer, pre=True) if tag in ("pre", "textarea", "listing") else outer
    if not style:
        return seen
    display = DISPLAY.findall(style)  # the last one holds
    overflow = OVERFLOW.search(style)
    cropped = overflow is not None and overflow[1] != "visible"
    low = NO_MAXIMUM.search(style) and (cropped or overflow is None)
    if display[-1:] == ["none"] or HIDING.search(style) or low or (cropped and NO_HEIGHT.search(style)):
        return None
    if found := VISIBILITY.search(style):
        seen = replace(seen, shown=outer.shown if found[1] == "inherit" else found[1] == "visible")
    if found := FONT_SIZE.search(style):
        size = found[1].strip()
        relative = size.endswith(("em", "%", "inherit")) and not size.endswith("rem")
        seen = replace(seen, sized=not NOTHING.fullmatch(size) and (outer.sized or not relative))
    if found := WHITE_SPACE.search(style):
        seen = replace(seen, pre=found[1].startswith(("pre", "break")))
    return seen
