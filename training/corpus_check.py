"""Finds what would make figures lie: duplicates, conflicting labels, and mails that stand on both sides of a split."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from model.checks.schema import read_suite, shipped_suites
from training.data import CORPUS, Mail, Split, normalised, read_split

NEAR = 0.8  # share of the shorter mail's word triples that another holds too


def triples(text: str) -> set[tuple[str, ...]]:
    words = normalised(text).split()
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}


def suite_texts() -> list[str]:
    return [text for path in shipped_suites() for text in read_suite(path).texts()]


def forbidden_texts() -> frozenset[str]:
    """What training must never make by itself: the suites' mails, normalised."""
    return frozenset(map(normalised, suite_texts()))


def duplicates(mails: Sequence[Mail]) -> list[str]:
    """The same words twice; with another label that is a conflict."""
    seen: dict[str, Mail] = {}
    found = []
    for mail in mails:
        first = seen.setdefault(normalised(mail.text), mail)
        if first is not mail and len(mail.text.split()) > 3:
            kind = "conflicting label" if first.label != mail.label else "duplicate"
            found.append(f"{mail.writer}/{mail.source}: {kind} of {first.writer}/{first.source}")
    return found


def near_copies(train: Sequence[Mail], held_out: dict[str, str]) -> list[str]:
    """Training mails that share most of their word triples with a held-out text; held_out: name → text."""
    index: dict[tuple[str, ...], list[str]] = defaultdict(list)
    sizes = {}
    for name, text in held_out.items():
        own = triples(text)
        sizes[name] = len(own)
        for triple in own:
            index[triple].append(name)
    found = []
    for mail in train:
        own = triples(mail.text)
        shared = Counter(name for triple in own for name in index.get(triple, ()))
        for name, count in shared.items():
            shorter = min(len(own), sizes[name])
            if shorter >= 3 and count / shorter >= NEAR:
                found.append(f"{mail.writer}/{mail.source}: near copy of {name}")
    return found


def check_corpus(corpus: Path = CORPUS) -> list[str]:
    """Every complaint, one a line; reading itself raises CorpusError for bad markup, labels or fields."""
    splits: tuple[Split, ...] = ("train", "development", "blind")
    mails = {split: read_split(split, corpus) for split in splits}
    held_out = {
        f"{mail.writer}/{mail.source}": mail.text for split in ("development", "blind") for mail in mails[split]
    }
    held_out |= {f"suite mail {number}": text for number, text in enumerate(suite_texts(), 1)}
    everything = [mail for split in splits for mail in mails[split]]
    blind = {f"{mail.writer}/{mail.source}": mail.text for mail in mails["blind"]}
    return duplicates(everything) + near_copies(mails["train"], held_out) + near_copies(mails["development"], blind)
