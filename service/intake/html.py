"""HTML to text: the words that a reader of the mail sees, quotes marked with `> `.

Parsed by lexbor (selectolax), which reads as browsers do; laid out by `layout`. inscriptis was measured against it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from service.intake.charsets import clean
from service.intake.deadline import checkpoint
from service.intake.layout import Layout
from service.intake.stylesheet import Hidden
from service.intake.threads import Line, attribution, marker
from service.intake.visibility import Sight, sight

BLANK_LINE_AROUND = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "pre"}
BLOCKS = BLANK_LINE_AROUND | {"div", "body", "table", "tr", "tbody", "thead", "tfoot", "caption", "li", "dt", "dd"}
BLOCKS |= {"blockquote", "section", "article", "header", "footer", "main", "nav", "aside", "center", "address", "form"}
BLOCKS |= {
    "fieldset",
    "figure",
    "figcaption",
    "details",
    "summary",
    "hr",
    "legend",
    "dir",
    "menu",
    "option",
    "button",
    "textarea",
}
UNREAD = {"head", "script", "style", "title", "svg", "template", "meta", "link", "iframe", "object", "audio", "video"}
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:]*)")
SELF_CLOSING = {"p", "li", "td", "th", "tr", "dt", "dd", "option", "br", "img", "hr", "meta", "input", "link", "col"}
SELF_CLOSING |= {"wbr", "area", "base", "source", "tbody", "thead", "tfoot", "col", "colgroup", "html", "head", "body"}
ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+"""
CROWDED_TAG = re.compile(rf"<([a-zA-Z][^\s/>]{{0,60}}+)(?:{ATTRIBUTE}){{100,}}+")
TAG_START = re.compile(r"<(?=[a-zA-Z])")
UNENDED_TAGS = re.compile(r"(?:<[a-zA-Z][^<>]*+){100}")  # from each of them CROWDED_TAG reads on to the end of the last
ROOT_TAG = re.compile(r"<(/?)(?:body|html)\b", re.IGNORECASE)
MOST_ROOTS = 20
CHOICE_TAG = re.compile(r"<(/?)(?:select|option|optgroup|selectedcontent)\b", re.IGNORECASE)
INLINE = (
    "a|abbr|b|big|cite|code|del|em|font|i|ins|kbd|label|mark|nobr|o:p|q|s|small|span|strike|strong|sub|sup|time|tt|u"
)
INLINE_TAG = re.compile(rf"</?(?:{INLINE})(?=[\s/>])", re.IGNORECASE)
BLOCK_TAG = re.compile(r"</?(?!(?:wbr|p|br|hr|style|script|title)[\s/>])[a-zA-Z][^\s/>]*+", re.IGNORECASE)
DEEPEST = 256  # open elements; lexbor takes quadratic time over deeper ones, no mail program writes them
NO_MARGIN = re.compile(r"margin(?:-top|-bottom|-block)?\s*:\s*0")
INDENTED = re.compile(r"border\s*:\s*(?:none|0)")  # Gmail's indent button writes a blockquote too, once with its class
EDGED = re.compile(r"border(?:-(?:left|right|inline-start)(?:-width|-style)?)?\s*:\s*(?!none|0|medium none)\w")
QUOTE_NAME = re.compile(r"quote|cite|reply|original|history|zmail", re.IGNORECASE)
OWN_QUOTE = re.compile(r"^(?:wp-block-quote|blockquote|ql-\w+|quote-own)$", re.IGNORECASE)
OUTLOOK_RULE = re.compile(r"border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)", re.IGNORECASE)
SEPARATOR = "_" * 32  # the line that Outlook's own plain text has before a quoted mail
EMOJI_CHARACTERS = 8
NODES_A_CHECK = 1_024
MOST_NODES = 80_000  # half a second, the layout included; what follows is not read, and the mail says `truncated`
MOST_TAGS = 2 * MOST_NODES  # opened; lexbor is not given what would not be reached
MARKUP = re.compile(r"<[a-zA-Z!/?]|&[a-zA-Z#]")


@dataclass(frozen=True)
class HtmlText:
    """Readable text; empty where the markup holds no words. whole: nothing was left off at MOST_NODES; quoted: the
    numbers of the lines that stand in another mail's element."""

    text: str
    whole: bool
    quoted: frozenset[int] = frozenset()


def html_to_text(html: str) -> str:
    return read_html(html).text


def read_html(html: str) -> HtmlText:
    """Raises LimitError where time is over."""
    markup, whole = _shallow(_bounded(html.replace("\0", "")))
    root = LexborHTMLParser(markup).root
    if root is None:
        return HtmlText("", whole)
    layout = Layout()
    whole = _walk(root, layout) and whole
    return HtmlText(clean(layout.text()), whole, layout.quoted())


def _bounded(html: str) -> str:
    """The same markup without what takes lexbor quadratic time: hundreds of attributes on one element, of bodies that
    are merged into one, and of options that are copied into their select."""
    if len(ROOT_TAG.findall(html)) > MOST_ROOTS:
        html = ROOT_TAG.sub(r"<\1div", html)
    html = CHOICE_TAG.sub(r"<\1div", html)
    return _without_crowds(html) if UNENDED_TAGS.search(html) else CROWDED_TAG.sub(r"<\1 ", html)


def _without_crowds(html: str) -> str:
    """What CROWDED_TAG's sub gives, tag by tag: where many tags have no end it takes quadratic time, and a single call
    would let neither the clock be looked at nor another thread go on."""
    pieces: list[str] = []
    at = 0
    for start in TAG_START.finditer(html):
        checkpoint()
        found = CROWDED_TAG.match(html, start.start()) if start.start() >= at else None
        if found:
            pieces += [html[at : found.start()], f"<{found[1]} "]
            at = found.end()
    return "".join([*pieces, html[at:]])


def _shallow(html: str) -> tuple[str, bool]:
    """The same markup as far as MOST_TAGS, and whether that is all; without any nesting where it is deeper than
    DEEPEST."""
    whole = True
    depth = deepest = opened = 0
    for found in TAG.finditer(html):
        slash, name = found.groups()
        opened += not slash
        if opened > MOST_TAGS:
            html, whole = html[: found.start()], False
            break
        if name.lower() not in SELF_CLOSING:
            depth = max(depth - 1, 0) if slash else depth + 1
            deepest = max(deepest, depth)
    if deepest <= DEEPEST:
        return html, whole
    # elements that hold nothing; their attributes stay
    return BLOCK_TAG.sub("<br", INLINE_TAG.sub("<wbr", html)), whole


def _walk(root: LexborNode, layout: Layout) -> bool:
    """Every node in order, without recursion; past MOST_NODES only closes what is open. Whether none was left off."""
    whole = True
    node: LexborNode | None = root
    hidden = Hidden([sheet.text() for sheet in root.css("style")])
    sights = [Sight()]
    visited = 0
    while node is not None:
        visited += 1
        if visited % NODES_A_CHECK == 0:
            checkpoint()
        child = None
        tag = node.tag or ""
        if tag == "-text":
            if sights[-1].visible:
                layout.words(node.text_content or "", pre=sights[-1].pre)
        elif node.is_element_node and tag not in UNREAD:
            attributes = node.attributes
            seen = sight(tag, attributes, sights[-1]) if not hidden(tag, attributes) else None
            if seen is not None:
                _enter(tag, attributes, layout)
                child = node.first_child
                if child is None:
                    _leave(tag, attributes, layout)
                else:
                    sights.append(seen)
        if child is not None:
            node = child
            continue
        while node is not None and (node.next is None or visited > MOST_NODES):
            whole = whole and node.next is None
            node = None if node.mem_id == root.mem_id else node.parent
            if node is not None and node.is_element_node:
                sights.pop()
                _leave(node.tag or "", node.attributes, layout)
        node = node.next if node is not None else None
    return whole


def _enter(tag: str, attributes: dict[str, str | None], layout: Layout) -> None:
    style = attributes.get("style") or ""
    if tag == "br":
        layout.line_break()
    elif tag == "img":
        alt = attributes.get("alt") or ""
        if len(alt) <= EMOJI_CHARACTERS and alt and not alt[0].isascii() and not alt[0].isalnum():
            layout.words(alt, pre=False)
    elif tag in ("td", "th"):
        layout.open_cell()
    elif tag in BLOCKS:
        layout.end_line(blank=_has_margin(tag, attributes) and not (tag in ("ul", "ol") and layout.lists))
        if tag == "tr":
            layout.open_row()
        elif tag == "li":
            layout.marker()
        elif tag in ("ul", "ol"):
            layout.lists.append(_start(attributes) if tag == "ol" else None)
        elif tag == "hr":
            layout.whole_line("---")
        if _may_quote(tag, attributes):
            layout.open_quote(another=_is_quote(tag, attributes) or _is_named(layout.last_lines()))
        elif attributes.get("id") == "divRplyFwdMsg" or (OUTLOOK_RULE.search(style) and tag == "div"):
            layout.whole_line(SEPARATOR)


def _leave(tag: str, attributes: dict[str, str | None], layout: Layout) -> None:
    if tag in ("td", "th"):
        layout.close_cell()
    elif tag in BLOCKS:
        if tag == "tr":
            layout.close_row()
        elif tag == "li":
            layout.end_item()
        elif tag in ("ul", "ol") and layout.lists:
            layout.lists.pop()
        layout.end_line(blank=_has_margin(tag, attributes) and not (tag in ("ul", "ol") and layout.lists))
        if _may_quote(tag, attributes):
            layout.close_quote()


def _start(attributes: dict[str, str | None]) -> int:
    start = attributes.get("start") or "1"
    return int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1


def _has_margin(tag: str, attributes: dict[str, str | None]) -> bool:
    if tag not in BLANK_LINE_AROUND:
        return False
    return "MsoNormal" not in (attributes.get("class") or "") and not NO_MARGIN.search(attributes.get("style") or "")


def _may_quote(tag: str, attributes: dict[str, str | None]) -> bool:
    return tag == "blockquote" or "yahoo_quoted" in (attributes.get("class") or "")


def _is_quote(tag: str, attributes: dict[str, str | None]) -> bool:
    """Whether an element says that it holds another mail: by a mail program's names for it, a line at its edge, or
    nothing else. Others are the writer's own, indented or set off, unless a line above names another's."""
    if tag != "blockquote" or not attributes or attributes.get("type") == "cite" or attributes.get("cite"):
        return True
    style = attributes.get("style") or ""
    if EDGED.search(style):
        return True
    names = [*(attributes.get("class") or "").split()[:50], attributes.get("id") or ""]
    return not INDENTED.search(style) and any(QUOTE_NAME.search(n) and not OWN_QUOTE.match(n) for n in names)


def _is_named(above: list[str]) -> bool:
    """Whether the lines above an element name the writer of what stands in it."""
    lines = [Line(text, 0, number) for number, text in enumerate(above)]
    return any(
        (found := attribution(lines, at)) is not None and found[0] == len(lines) for at in range(len(lines))
    ) or (bool(above) and marker(above[-1]) is not None)


def looks_like_html(text: str) -> bool:
    return bool(re.match(r"\s*(?:<!doctype html|<html[\s>]|<head[\s>]|<body[\s>])", text, re.IGNORECASE))


def has_markup(text: str) -> bool:
    return bool(MARKUP.search(text))
