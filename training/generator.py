"""Mails that a machine makes well: many things named, in frames of known meaning. A supplement to hand-written ones."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import yaml

from training.data import CORPUS, Mail
from training.markup import parse

MAX_PHRASE_WORDS = 4
CURRENCIES = ("£{}", "${}", "€{}", "₹{}", "Rs {}", "{} euros", "{} dollars", "AED {}", "{} quid")
ORDERS = ("#{}", "{}", "ORD-{}", "no. {}", "AB{}", "{}-B")


@dataclass(frozen=True)
class Lexicon:
    """Phrases that writers marked as what they want money for."""

    fees: tuple[str, ...]
    items: tuple[str, ...]


def harvest(mails: list[Mail]) -> Lexicon:
    """The marked phrases of English training mails, by the label they made; shared ones are left out."""
    found: dict[str, set[str]] = {"refund_fee": set(), "refund_item": set()}
    for mail in mails:
        if mail.label not in found or mail.lang != "en":
            continue
        for span in mail.spans:
            phrase = mail.text[span.start : span.end]
            plain = all(character.isalpha() or character in " -'" for character in phrase)
            if span.role == "refund" and plain and len(phrase.split()) <= MAX_PHRASE_WORDS:
                found[mail.label].add(phrase.lower())
    fees, items = found["refund_fee"], found["refund_item"]
    return Lexicon(tuple(sorted(fees - items)), tuple(sorted(items - fees)))


class Generator:
    """Draws mails, the same ones for the same seed."""

    def __init__(self, lexicon: Lexicon, seed: int) -> None:
        if not lexicon.fees or not lexicon.items:
            raise ValueError("the lexicon holds no fees or no items: the training mails mark none")
        self._lexicon = lexicon
        self._rng = random.Random(seed)
        self._frames: dict[str, Any] = yaml.safe_load((CORPUS / "templates.yaml").read_text(encoding="utf-8"))
        self._reference: dict[str, Any] = yaml.safe_load((CORPUS / "reference.yaml").read_text(encoding="utf-8"))

    def _slots(self) -> dict[str, str]:
        rng = self._rng
        amount = rng.choice((f"{rng.randrange(2, 200)}", f"{rng.uniform(1, 90):.2f}"))
        return {
            "fee": rng.choice(self._lexicon.fees),
            "item": rng.choice(self._lexicon.items),
            "money": rng.choice(CURRENCIES).format(amount),
            "order": rng.choice(ORDERS).format(rng.randrange(1_000, 99_999)),
        }

    def draw(self) -> Mail:
        """One mail; three in five have a word that points back, which hand-written mails teach too slowly."""
        rng, slots = self._rng, self._slots()
        kind = rng.choices(("composed", "contrast", "reference", "single", "fixed"), (3, 3, 17, 1, 4))[0]
        if kind == "fixed":
            label = rng.choice(sorted(self._frames["fixed"]))
            return self._fill(rng.choice(self._frames["fixed"][label]), slots, label)
        wants_fee = rng.random() < 0.5
        slots["a"] = slots["fee"] if wants_fee else slots["item"]
        other_is_item = wants_fee or rng.random() < 0.25
        others = self._lexicon.items if other_is_item else self._lexicon.fees
        slots["b"] = rng.choice([phrase for phrase in rng.sample(others, 2) if phrase != slots["a"]])
        if kind == "composed":
            frame = self._compose()
        elif kind == "reference":
            frame = self._refer(slots)
        else:
            frame = rng.choice(self._frames[kind])
        return self._fill(frame, slots, "refund_fee" if wants_fee else "refund_item")

    def swap_pair(self, n_frames: int) -> tuple[Mail, Mail]:
        """One of the first frames of contrast with a fee wanted and an item not, and the two exchanged."""
        slots = self._slots()
        frame = self._rng.choice(self._frames["contrast"][:n_frames])
        fee, item = slots["fee"], slots["item"]
        return (
            self._fill(frame, {**slots, "a": fee, "b": item}, "refund_fee"),
            self._fill(frame, {**slots, "a": item, "b": fee}, "refund_item"),
        )

    @staticmethod
    def _fill(frame: str, slots: dict[str, str], label: str) -> Mail:
        text, spans = parse(frame.format(**slots))
        return Mail(text, label, spans, writer="generator", source=frame)

    def _refer(self, slots: dict[str, str]) -> str:
        """Things named in some order, then pointed at by their places: "the latter", "line 2"."""
        rng = self._rng
        group = rng.choice(self._reference["pointers"])
        words = rng.choice(group["words"])
        places = rng.sample(range(len(words)), len(words))
        taken = (slots["a"], slots["b"])
        third = rng.choice([item for item in rng.sample(self._lexicon.items, 3) if item not in taken])
        things = {
            str(place): thing for place, thing in zip(places, ("[refund:{a}]", "[keep:{b}]", third), strict=False)
        }
        sentences = [rng.choice(group["named"])]
        if rng.random() < 0.4:
            sentences.append(rng.choice(self._reference["between"]))
        point = rng.choice(self._reference["points"]).format(w=words[places[0]], k=words[places[1]])
        sentences.append(point[0].upper() + point[1:] if rng.random() < 0.7 else point)
        mail = " ".join(sentences).replace("\n ", "\n")
        for place, thing in things.items():
            mail = mail.replace("{" + place + "}", thing)
        return mail[0].upper() + mail[1:]

    def _compose(self) -> str:
        """What is wanted and what is not, in either order."""
        rng = self._rng
        clauses = [rng.choice(self._frames["want"]), rng.choice(self._frames["keep"])]
        rng.shuffle(clauses)
        text: str = rng.choice(self._frames["joiners"]).join(clauses)
        if rng.random() < 0.7:
            text = text[0].upper() + text[1:]
        return text + rng.choice((".", "", "!", " please.", " thanks"))
