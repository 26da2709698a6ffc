"""HTML to text, by inscriptis: it keeps tables and lists readable and drops scripts and styles."""

from __future__ import annotations

import re

from inscriptis import get_text
from inscriptis.model.config import ParserConfig
from lxml.etree import ParserError

XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")  # lxml refuses text that names an encoding
CONFIG = ParserConfig(display_images=False, display_links=False)


def html_to_text(html: str) -> str:
    """Readable text; empty where the markup holds no words."""
    try:
        return str(get_text(XML_DECLARATION.sub("", html), CONFIG)).strip()
    except ParserError:  # lxml's word for a document without any element or text
        return ""
