"""Why a person is to look at a mail: the one list that decisions, storage, metrics and answers share."""

from __future__ import annotations

from typing import Literal, get_args

Reason = Literal[
    "low_confidence",  # under the threshold of its label
    "order_check_failed",  # its refund and keep phrases were exchanged, and the refund did not follow
    "truncated",  # longer than is read
    "unsupported_language",  # written in one that the model was not trained on
    "no_text",  # nothing to read
    "automatic_mail",  # a machine wrote it; given before it is read
    "needs_person",  # its label is one that a person always looks at
]
REASONS: tuple[Reason, ...] = get_args(Reason)
