"""Mails of machines, and mails of people that look like it."""

from __future__ import annotations

from tests.service.intake.builder import Case, case, mail, multi, part

BODY = part("I am away.")


def written_by(reason: str | None, name: str, value: str) -> Case:
    raw = mail(BODY, **{name: value})
    return case(f"{name}: {value} is {'automatic' if reason else 'a person'}", raw, automatic=reason)


CASES = [
    case("a person's mail", mail(BODY), automatic=None),
    written_by("auto-submitted: auto-replied", "Auto-Submitted", "auto-replied"),
    written_by("auto-submitted: auto-generated", "Auto-Submitted", "Auto-Generated"),
    written_by("auto-submitted: auto-replied", "Auto-Submitted", "auto-replied (vacation); owner=x"),
    written_by(None, "Auto-Submitted", "no"),
    written_by(None, "Auto-Submitted", "No (a person)"),
    written_by("null return path", "Return-Path", "<>"),
    written_by("null return path", "Return-Path", "< >"),
    written_by(None, "Return-Path", "<mina@example.org>"),
    written_by("precedence: bulk", "Precedence", "bulk"),
    written_by("precedence: junk", "Precedence", "Junk"),
    written_by("precedence: list", "Precedence", "list"),
    written_by("precedence: auto_reply", "Precedence", "auto_reply"),
    written_by(None, "Precedence", "first-class"),
    written_by("x-autoreply", "X-Autoreply", "yes"),
    written_by(None, "X-Autoreply", "no"),
    written_by("x-autorespond", "X-Autorespond", "Away"),
    written_by(None, "X-Auto-Response-Suppress", "All"),
    written_by("list-id", "List-Id", "<cooks.example.org>"),
    written_by("list-unsubscribe", "List-Unsubscribe", "<mailto:leave@example.org>"),
    written_by("mailer-daemon", "From", "Mail System <MAILER-DAEMON@mx.example>"),
    case(
        "a read receipt",
        mail(
            multi(
                "report",
                BODY,
                part("x", "message/disposition-notification"),
                parameters="; report-type=disposition-notification",
            )
        ),
        automatic="report: disposition-notification",
    ),
    case(
        "an answer to an invitation",
        mail(multi("alternative", BODY, part("BEGIN:VCALENDAR", "text/calendar; method=REPLY"))),
        automatic="calendar reply",
    ),
    case("an invitation alone", mail(part("BEGIN:VCALENDAR", "text/calendar; method=REQUEST")), automatic=None),
]
