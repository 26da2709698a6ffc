"""Erasure over the wire."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.schemas.wire import Line, Wire


class ErasureIn(Wire):
    """All mails from or to an address."""

    address: Annotated[Line, Field(min_length=3, pattern=r"@")] = Field(examples=["mina@example.org"])
    dry_run: bool = Field(default=False, description="only say which mails and cases these are")


class ErasureOut(Wire):
    address: str
    dry_run: bool
    count: int = Field(description="mails that were erased, or would be")
    email_ids: list[str] = Field(description="the first 100 of them")
    case_count: int = Field(description="likewise cases of the shop's own suite, made of such mails")
    case_ids: list[str] = Field(description="the first 100 of them")
