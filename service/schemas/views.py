"""Kept views of the inbox, over the wire."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from service.schemas.wire import Wire, storable


class ViewIn(Wire):
    """A name for filters; the same name again changes them."""

    name: Annotated[str, Field(min_length=1, max_length=60), AfterValidator(storable)] = Field(examples=["late fees"])
    query: Annotated[str, Field(max_length=1_000), AfterValidator(storable)] = Field(
        description="the part of the inbox's address behind the question mark",
        examples=["label=refund_fee&decision=review"],
    )


class ViewOut(Wire):
    id: str
    name: str
    query: str


class ViewPage(Wire):
    data: list[ViewOut]
    next_cursor: str | None = None
