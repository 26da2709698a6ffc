"""What all wire types are made of: strict objects, and texts that a database can hold."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from model.config import MAX_TEXT_CHARACTERS

UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(value: str) -> str:
    """Refuse what no database column can hold: NUL and lone surrogates."""
    if found := UNSTORABLE.search(value):
        name = "a NUL" if found.group() == "\0" else "a lone surrogate"
        raise ValueError(f"{name} at character {found.start()} is not text")
    return value


Text = Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS), AfterValidator(storable)]
Line = Annotated[str, Field(max_length=998), AfterValidator(storable)]  # RFC 5322's longest line


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True, protected_namespaces=())
