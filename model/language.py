"""Whether a mail is in a language that the model was trained on, and is language at all.

py3langid tells the language (97 of them, offline, a few megabytes; Lui and Baldwin 2012): it is kept up, needs only
numpy, and took none of 4,000 training mails in the trained languages for another at the certainty asked here. It knows
no Hindi in Latin letters and is never that certain of it, so such mail passes.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from threading import Lock

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from model.classifier import Prediction

CERTAINTY = 0.9  # of another language, for a mail to be refused
UNKNOWN_RATIO_LIMIT = 0.3  # of tokens that the vocabulary lacks; above it the script is one the model cannot read
LETTERS_LIMIT = 0.5  # of the letters that are outside Latin script
LETTERS_A_TOKEN = 1.7  # fewer, over MIN_TOKENS and more, is no language: keys struck at random, codes
MIN_TOKENS = 6
NO_LANGUAGE, NO_LANGUAGE_CERTAINTY = "zxx", 0.5
LAST_LATIN = 0x24F


LOADING = Lock()  # two threads that need it at once wait for one loading


@cache
def _loaded() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def load() -> LanguageIdentifier:
    """The identifier; the first call unpacks it, which takes half a second."""
    with LOADING:
        return _loaded()


def foreign_letters_ratio(text: str) -> float:
    """Share of the letters that are not of a Latin script, in which all trained languages are written."""
    letters = [character for character in text if character.isalpha()]
    foreign = sum(ord(character) > LAST_LATIN for character in letters)
    return foreign / len(letters) if letters else 0.0


def identify(text: str) -> tuple[str, float]:
    """The likeliest language, an ISO 639-1 code or NO_LANGUAGE, and how certain that is."""
    language, certainty = load().classify(text)
    return str(language), float(certainty)


def unsupported_language(text: str, prediction: Prediction, trained: Collection[str]) -> bool:
    """Whether the mail should be read by a person because of its language. trained: ISO 639-1 codes."""
    if prediction.unknown_ratio > UNKNOWN_RATIO_LIMIT or foreign_letters_ratio(text) > LETTERS_LIMIT:
        return True
    letters = sum(map(str.isalpha, text))
    if prediction.n_tokens >= MIN_TOKENS and letters < LETTERS_A_TOKEN * prediction.n_tokens:
        return True
    language, certainty = identify(text)
    if language == NO_LANGUAGE:
        return certainty > NO_LANGUAGE_CERTAINTY
    return language not in trained and certainty > CERTAINTY
