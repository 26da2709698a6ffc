"""How many of the tests' raw mails are read right, and how long one takes: beside the standard library's own reading.

    python -m tests.benchmarks.read_mails

A mail is read from its bytes to the customer's own words. The standard library reads the same bytes by its modern
policy to the text of the body that it prefers, with nothing cut. Both are measured in turns in one run; times are
processor time, the least of ROUNDS a mail. The large mails are made here, for the tests' own are short. Exit code 1
where a mail is read wrong that is no known weakness, or where ours takes more than MOST times as long for the tests'
mails together.
"""

from __future__ import annotations

import email.policy
import statistics
import sys
from collections.abc import Callable
from email.parser import BytesParser
from time import process_time

from service.intake.compose import compose_mail
from service.intake.html import html_to_text
from service.intake.mime import ParsedMail, parse_mail
from tests.service.intake import test_eml, test_mime
from tests.service.intake.builder import html, mail, multi, part
from tests.service.intake.test_cut import THREADS

ROUNDS, MOST = 3, 40.0
HEAD = b"From: a@b.example\nSubject: Order\nContent-Type: text/plain; charset=utf-8\n\n"
Fixture = tuple[bytes, Callable[[], bool]]


def fixtures() -> dict[str, list[Fixture]]:
    """kind → raw mails, each with what reads it and says whether that was right."""
    kinds: dict[str, list[Fixture]] = {}
    for module in test_mime.MODULES:
        name = module.__name__.rpartition("_")[2]
        kinds[name] = [
            (case.raw, lambda case=case: as_expected(parse_mail(case.raw), case.expected)) for case in module.CASES
        ]
    for path in test_eml.PATHS:
        kind = f"eml/{path.parent.name}"
        kinds.setdefault(kind, []).append((path.read_bytes(), lambda path=path: test_eml.is_right(path)))
    kinds["replies"] = [
        (HEAD + thread.body.encode(), lambda thread=thread: thread.read().text == thread.text) for thread in THREADS
    ]
    return kinds


def as_expected(parsed: ParsedMail, expected: dict[str, object]) -> bool:
    return {name: test_mime.found(parsed, name, value) for name, value in expected.items()} == expected


def ours(raw: bytes) -> None:
    compose_mail(parse_mail(raw))


def librarys(raw: bytes) -> None:
    message = BytesParser(policy=email.policy.default).parsebytes(raw)
    body = message.get_body(("plain", "html"))
    text = body.get_content() if body is not None else ""
    assert isinstance(text, str)


def large() -> dict[str, bytes]:
    """Mails as large as customers send them."""
    row = '<tr><td style="padding:4px"><a href="https://x.example/a?b=c"><b>Cup</b></a></td><td>20,00 EUR</td></tr>'
    quoted = "".join(f"> {'>' * (n // 200)} line {n} of what was said before\n" for n in range(2_000))
    headed = "Refund the fee.\n" + "\nFrom: A <a@x.example>\nSent: 6 May\nTo: B\nSubject: C\n\nWhy?\n" * 500
    return {
        "HTML, 300 KB": mail(html("<table>" + row * 2_800 + "</table>")),
        "quotes, 90 KB": mail(part(f"Refund it.\n\nOn 6 May 2024 10:00, A <a@x.example> wrote:\n{quoted}")),
        "headers, 30 KB": mail(part(headed)),
        "own words, 190 KB": mail(part("The cup was broken and I want the fee back.\n" * 4_300)),
        "a file, 5 MB": mail(multi("mixed", part("See it."), part(b"x" * 3_700_000, "image/png", encoding="base64"))),
    }


def milliseconds(read: Callable[[bytes], None], raw: bytes) -> float | None:
    """None where it failed."""
    started = process_time()
    try:
        read(raw)
    except Exception:  # how often the library fails is printed; ours is held to none by its tests
        return None
    return (process_time() - started) * 1_000


def main() -> int:
    wrong = 0
    times: list[tuple[float, float | None]] = []
    html_to_text("<p>warm</p>")
    for kind, found in fixtures().items():
        bad = sum(not right() for _, right in found)
        wrong += bad
        print(f"{kind:20} {len(found) - bad:4}/{len(found)} right")  # noqa: T201
        for raw, _ in found:
            rounds = [(milliseconds(ours, raw), milliseconds(librarys, raw)) for _ in range(ROUNDS)]
            own, theirs = ([time for time in side if time is not None] for side in zip(*rounds, strict=True))
            if own:  # one over a limit is refused
                times.append((min(own), min(theirs) if theirs else None))
    mine = [time for time, _ in times]
    both = [(own, theirs) for own, theirs in times if theirs is not None]
    ratio = sum(own for own, _ in both) / sum(theirs for _, theirs in both)
    print(f"{len(mine)} mails: median {statistics.median(mine):.2f} ms, worst {max(mine):.1f} ms")  # noqa: T201
    print(f"standard library: fails on {len(times) - len(both)}; ours takes {ratio:.1f} times as long on the rest")  # noqa: T201
    for name, raw in large().items():
        print(f"{name:20} {min(milliseconds(ours, raw) or 0.0 for _ in range(ROUNDS)):6.1f} ms")  # noqa: T201
    return 1 if wrong > len(test_eml.WEAK) or ratio > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
