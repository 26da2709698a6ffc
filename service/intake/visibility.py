"""Which elements of a mail's HTML a reader sees, by the styles written on them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

ZERO = r"\s*:\s*0*\.?0*(?:px|pt|em|rem|%)?\s*(?:!\s*important\s*)?(?:;|$)"
HIDING = re.compile(rf"(?:^|[;\s])(?:display\s*:\s*none|mso-hide\s*:\s*all|max-height{ZERO}|opacity{ZERO})")
NO_HEIGHT = re.compile(rf"(?:^|[;\s])height{ZERO}")
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
    if HIDING.search(style) or ("overflow" in style and "hidden" in style and NO_HEIGHT.search(style)):
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
