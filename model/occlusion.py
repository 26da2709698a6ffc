"""Which words moved the label: each is left out in turn and the mail is read again (Li, Monroe and Jurafsky 2016).

That is what the model does without the word, not why it answers as it does: two words that say the same cover for each
other, and both then seem not to matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.classifier import Classifier
from model.spans import WORD

MAX_WORDS = 60  # readings of one request; about a second with the released model
MAX_REST = 2_000  # characters after the last of them that are read along; a longer mail would be read whole 60 times


@dataclass(frozen=True)
class Influence:
    """A word, and by how much the label's probability falls where it is left out; below 0 where it rises."""

    text: str
    start: int
    end: int
    drop: float


def occlude(classifier: Classifier, text: str, label: str, *, start: int = 0) -> list[Influence]:
    """The first MAX_WORDS words from `start` on, the most moving first. Signs are not left out.

    What stands more than MAX_REST characters after the last of them is not read, with or without a word.
    """
    words = [match for match in WORD.finditer(text, start) if match.group()[0].isalnum()][:MAX_WORDS]
    if not words:
        return []
    text = text[: words[-1].end() + MAX_REST]
    without = [text[: word.start()] + text[word.end() :] for word in words]
    column = classifier.classes.index(label)
    probabilities = classifier.predict_proba([text, *without])[:, column]
    found = [
        Influence(word.group(), word.start(), word.end(), float(probabilities[0] - left))
        for word, left in zip(words, probabilities[1:], strict=True)
    ]
    return sorted(found, key=lambda entry: -abs(entry.drop))
