"""The mails of a round of training: hand-written ones as another might have typed them, and generated ones."""

from __future__ import annotations

import random

from training.augment import augment
from training.data import Mail, normalised
from training.generator import Generator, harvest
from training.substitute import Substituter


class Drawing:
    """Makes mails for training; the same ones for the same random numbers."""

    def __init__(
        self, mails: list[Mail], exchange_ratio: float, substitute_ratio: float, forbidden: frozenset[str]
    ) -> None:
        """mails: where phrases are harvested. exchange_ratio, substitute_ratio: shares of mails edited so, 0 to 1.

        forbidden: texts, normalised, that must never be made, such as the suites' mails.
        """
        self._exchange_ratio, self._substitute_ratio, self._forbidden = exchange_ratio, substitute_ratio, forbidden
        self._lexicon = harvest(mails)
        self._substituter = Substituter(self._lexicon)

    def typed(self, mails: list[Mail], rng: random.Random) -> list[Mail]:
        """Each mail in its order, now and then naming other things, and as another might have typed it."""
        return [augment(self._edited(mail, rng), rng) for mail in mails]

    def generated(self, count: int, rng: random.Random) -> list[Mail]:
        """As many generated mails, less those that are forbidden."""
        if count == 0:
            return []
        generator = Generator(self._lexicon, rng.randrange(2**31))
        drawn = (generator.draw() for _ in range(count))
        return [augment(mail, rng) for mail in drawn if normalised(mail.text) not in self._forbidden]

    def _edited(self, mail: Mail, rng: random.Random) -> Mail:
        """The mail, or now and then one of its frame that names other things."""
        draw = rng.random()
        edited: Mail | None = None
        if draw < self._exchange_ratio:
            edited = self._substituter.exchange(mail)
        elif draw < self._exchange_ratio + self._substitute_ratio:
            edited = self._substituter.substitute(mail, rng)
        return mail if edited is None or normalised(edited.text) in self._forbidden else edited
