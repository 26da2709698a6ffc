"""Each promise that the fuzzer asks for can be broken, and is then named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.intake.body import Attachment
from service.intake.compose import Intake
from service.intake.cut import CutPart, OwnWords, own_words
from service.intake.errors import LimitError
from service.intake.mime import ParsedMail
from tests.fuzz import promises
from tests.fuzz.seeds import mails, spliced

BODY = "Twice.\n\nOn 6 May 2024 10:00, Shop <help@x.example> wrote:\n> How often?\n"
TRUE = own_words(BODY)


def test_the_promises_hold_of_every_seed() -> None:
    seeds = mails()
    assert len(seeds) > 600
    assert sum(promises.keep(raw) is not None for raw in seeds) > 600


@pytest.mark.parametrize(
    ("promise", "false"),
    [
        ("parts", replace(TRUE, parts=(CutPart("quote", "How often?", 0, 10),))),
        ("parts", replace(TRUE, parts=TRUE.parts * 2)),
        ("words", replace(TRUE, text="Twic.")),
        ("words", replace(TRUE, parts=())),
        ("again", OwnWords(BODY, None, ())),
        ("context", replace(TRUE, context="Who?")),
    ],
)
def test_words_that_do_not_fit_the_body_are_found(promise: str, false: OwnWords) -> None:
    promises.check_words(BODY, TRUE)

    with pytest.raises(AssertionError, match=f"^{promise}:"):
        promises.check_words(BODY, false)


@pytest.mark.parametrize(
    ("promise", "false"),
    [
        ("storable", ParsedMail(text="a\0b")),
        ("storable", ParsedMail(forwarded=(ParsedMail(subject="\ud800"),))),
        ("storable", ParsedMail(attachments=(Attachment("\0", "text/plain", 1),))),
        ("bounded", ParsedMail(subject="x" * 999)),
        ("bounded", ParsedMail(recipients=("a@b.example",) * 1_001)),
        ("bounded", ParsedMail(attachments=(Attachment("x" * 256, "text/plain", 1),))),
    ],
)
def test_mails_that_cannot_be_kept_are_found(promise: str, false: ParsedMail) -> None:
    with pytest.raises(AssertionError, match=f"^{promise}:"):
        promises.check_mail(false)


@pytest.mark.parametrize(
    ("promise", "false"),
    [
        ("huge", Intake("x" * 20_000, "plain")),
        ("storable", Intake("\0", "plain")),
        ("source", Intake("x", None)),
        ("source", Intake("", "plain")),
    ],
)
def test_readings_that_do_not_fit_the_mail_are_found(promise: str, false: Intake) -> None:
    with pytest.raises(AssertionError, match=f"^{promise}:"):
        promises.check_size(b"x", false)


def test_a_fault_in_the_parser_is_found_and_a_refusal_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> ParsedMail:
        raise LimitError("parts", 1)

    def fail(*_: object) -> ParsedMail:
        raise IndexError

    monkeypatch.setattr(promises, "parse_mail", refuse)
    assert promises.keep(b"x") is None
    monkeypatch.setattr(promises, "parse_mail", fail)
    with pytest.raises(IndexError):
        promises.keep(b"x")


def test_time_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 9.0))
    monkeypatch.setattr(promises, "thread_time", lambda: next(clock))

    with pytest.raises(AssertionError, match="^time:"):
        promises.keep(b"x")


def test_splicing_gives_the_same_mail_for_the_same_seed_and_others_for_others() -> None:
    raw, lines = mails()[0], [b"> line"]
    assert spliced(raw, 4, lines) == spliced(raw, 4, lines)
    assert len({spliced(raw, seed, lines) for seed in range(20)}) > 10
    assert spliced(b"", 1, lines) is not None
