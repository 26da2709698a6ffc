"""How well and how fast replies are cut: own_words beside the libraries, and own_words on hostile bodies of 1 MB.

    pip install mail-parser-reply quotequail email-reply-parser
    python -m tests.benchmarks.cut_replies [SECONDS_A_BODY]

Exit 1 when own_words needs more than SECONDS_A_BODY (5) of processor time for a hostile body, or more than three times
as long for a body twice as long. A word is lost when it is in the expected text and not in the one that was read.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from collections.abc import Callable
from time import process_time

from service.intake.cut import own_words
from tests.service.intake.test_cut import THREADS

HOSTILE_CHARS = 1_000_000
HOSTILE = {
    "quote marks": ">\n",
    "quoted words": "> abc def\n",
    "questions and answers": "> what?\nyes\n",
    "On On On wrote": "On On On wrote:\n",
    "On, in one line": "On ",
    "attributions that never end": "On 6 May 2024 10:00 a@b.example\n",
    "dashes": "-- \nx\n",
    "rules": "_" * 32 + "\n",
    "header lines": "From: a@b.example\n",
    "forwards": "---------- Forwarded message ---------\nFrom: a@b.example\n\n",
    "quoted forwards": "Begin forwarded message:\n> From: a@b.example\n> x\n",
    "phones": "Sent from my iPhone\n\n",
    "legal footers": "This email is confidential and intended for the recipient\n\n",
    "signatures": "Kind regards,\nSam\n+44 20 7946 0000\n",
    "angle brackets": "On 2024-05-05 10:00 " + "<a" * 180 + ":\n",
    "blank lines": "\n",
}


def cutters() -> dict[str, Callable[[str, str], str]]:
    """Each takes a body and its language; a library that is not installed is left out."""
    found: dict[str, Callable[[str, str], str]] = {"own_words": lambda body, _: own_words(body).text}
    try:
        from mailparser_reply import EmailReplyParser

        languages = ["en", "da", "de", "es", "fr", "it", "ja", "nl", "pl", "sv", "zh"]
        one, every = EmailReplyParser(languages=["en"]), EmailReplyParser(languages=languages)
        found["mail-parser-reply, en"] = lambda body, _: str(one.parse_reply(body) or "")
        found["mail-parser-reply, all"] = lambda body, _: str(every.parse_reply(body) or "")
    except ImportError:
        pass
    try:
        import quotequail

        def unwrapped(body: str, _: str) -> str:
            shown = [text for expand, text in quotequail.quote(body, quote_intro_line=True) if expand]
            return "\n".join(shown)

        found["quotequail"] = unwrapped
    except ImportError:
        pass
    try:
        import email_reply_parser

        found["email-reply-parser"] = lambda body, _: str(email_reply_parser.EmailReplyParser.parse_reply(body))
    except ImportError:
        pass
    return found


def compare() -> None:
    for name, cut in cutters().items():
        exact = lossless = traps = crashed = 0
        times = []
        for thread in THREADS:
            started = process_time()
            try:
                text = cut(thread.body, thread.language)
            except Exception:  # another's library may raise anything; how often is printed
                crashed += 1
                continue
            times.append((process_time() - started) * 1_000)
            right = text.strip() == thread.text.strip()
            exact += right
            traps += right and not thread.kinds
            lossless += not (Counter(thread.text.split()) - Counter(text.split()))
        count = len(THREADS)
        quiet = sum(not thread.kinds for thread in THREADS)
        print(  # noqa: T201
            f"{name:24} exact {exact:3}/{count}  no word lost {lossless:3}/{count}  traps whole {traps:2}/{quiet}  "
            f"crashed {crashed}  median {statistics.median(times):.3f} ms  worst {max(times):.2f} ms"
        )


def seconds(body: str) -> float:
    started = process_time()
    own_words(body)
    return process_time() - started


def hostile(limit_seconds: float) -> bool:
    slow = False
    for name, piece in HOSTILE.items():
        half, whole = (seconds(piece * (chars // len(piece))) for chars in (HOSTILE_CHARS // 2, HOSTILE_CHARS))
        bad = whole > limit_seconds or whole > 3 * half + 0.2
        slow |= bad
        print(f"{name:28} {half:.2f} s, twice as long {whole:.2f} s{'  TOO SLOW' if bad else ''}")  # noqa: T201
    return slow


if __name__ == "__main__":
    compare()
    sys.exit(hostile(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0))
