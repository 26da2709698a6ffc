"""Small changes that leave a mail's label and marks alone: greetings, endings, casing, typing slips."""

from __future__ import annotations

import random
from dataclasses import replace

from training.data import Mail
from training.markup import MarkedSpan

GREETINGS = (
    "Hi,\n\n",
    "Hello team, ",
    "Dear Sir or Madam,\n\n",
    "Good morning,\n",
    "hey ",
    "To whom it may concern:\n",
    "Hi there! ",
)
ENDINGS = (
    "\n\nThanks,\nSam",
    "\nKind regards\nA. Novak",
    " thx",
    "\n\nSent from my phone",
    "\n-- \nMarta",
    " Cheers!",
    "\n\nYours faithfully,\nO. Adeyemi",
)
QUOTED = (
    "\n\nOn Tue, 3 Mar, Customer Care wrote:\n> Thank you for getting in touch. We will reply within two days.",
    "\n\n> Your order has been delivered. How did we do?",
)


def _wrap(mail: Mail, before: str, after: str) -> Mail:
    spans = tuple(MarkedSpan(s.role, s.start + len(before), s.end + len(before)) for s in mail.spans)
    return replace(mail, text=before + mail.text + after, spans=spans)


def _slip(mail: Mail, rng: random.Random) -> Mail:
    """Exchange two neighbouring letters, or replace one, outside the marked words: no offset moves."""
    marked = {i for span in mail.spans for i in range(span.start, span.end)}
    text = list(mail.text)
    for _ in range(rng.randint(1, 1 + len(text) // 80)):
        at = rng.randrange(max(1, len(text) - 1))
        pair = text[at : at + 2]
        if len(pair) == 2 and all(c.isalpha() and c.isascii() for c in pair) and not marked & {at, at + 1}:
            text[at : at + 2] = pair[::-1] if rng.random() < 0.6 else [pair[1], pair[1]]
    return replace(mail, text="".join(text))


def augment(mail: Mail, rng: random.Random) -> Mail:
    """A mail as another person might have typed it; about half come back unchanged."""
    if rng.random() < 0.15:
        mail = _slip(mail, rng)
    if rng.random() < 0.12 and mail.text.isascii():
        mail = replace(mail, text=rng.choice((str.lower, str.upper))(mail.text))
    before = rng.choice(GREETINGS) if rng.random() < 0.12 else ""
    after = rng.choice(ENDINGS) if rng.random() < 0.12 else ""
    if rng.random() < 0.06:
        after += rng.choice(QUOTED)
    return _wrap(mail, before, after)
