"""The order lab: a mail's words as tiles, read in any order, with positions on or off and heads switched off."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from service.console.marks import body_start
from service.console.site import page
from service.dependencies import SessionDep
from service.queries import emails as queries
from service.schemas.explain import MAX_EXPLAIN_CHARACTERS, MAX_EXPLAIN_WORDS

router = APIRouter(include_in_schema=False)


class Example(NamedTuple):
    """A text to begin with, and what it shows."""

    name: str
    text: str


EXAMPLES = (
    Example("the cake and the fee", "Refund the delivery fee, not the cake."),
    Example("the order the other way round", "Refund the cake, not the delivery fee."),
    Example("to keep, then to refund", "I will keep the lamp but please refund the shipping charge."),
    Example("goods instead of money", "Don't refund the mug, send me a new one instead."),
    Example("one word's place", "Only refund the gift wrap, the scarf is lovely."),
)


@router.get("/lab", response_class=HTMLResponse)
def lab(
    request: Request, session: SessionDep, mail: Annotated[str | None, Query(max_length=64)] = None
) -> HTMLResponse:
    """mail: the id of a mail whose words are taken; a longer one is taken from its beginning."""
    text = EXAMPLES[0].text
    email = queries.email_by_id(session, email_id=mail) if mail and "\0" not in mail else None
    if email is not None:
        text = shortened(email.text[body_start(email) :])
    context = {"examples": EXAMPLES, "text": text, "mail": email, "most_characters": MAX_EXPLAIN_CHARACTERS}
    return page(request, "lab.html", {**context, "most_words": MAX_EXPLAIN_WORDS})


def shortened(text: str) -> str:
    """The first sentences of a mail, up to about as many words as can be laid open (signs count as words too)."""
    words = text.split()
    kept = words[: MAX_EXPLAIN_WORDS * 3 // 4]
    return " ".join(kept)[:MAX_EXPLAIN_CHARACTERS]
