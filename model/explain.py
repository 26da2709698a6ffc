"""One text read in any arrangement of its words, with positions on or off and heads switched off, for people to see.

Words are moved as the tokens that they are: the tokens of every arrangement are the same bag, whatever stands beside
what, so that a difference between two readings is a difference of order alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.checkpoint import Card
from model.forward import NumpyNetwork, softmax
from model.spans import WORD, Span, decode_spans
from model.tokenizer import MailTokenizer

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Word:
    """A run of letters, or a sign; what is moved. start and end are offsets into the text as written."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Token:
    """A token where it stands in an arrangement. word is its number as written; None for [CLS] and [SEP]."""

    piece: str
    start: int
    end: int
    position: int
    word: int | None


@dataclass(frozen=True)
class Reading:
    """What the network says of one arrangement."""

    text: str
    label: str
    confidence: float
    probabilities: dict[str, float]  # calibrated, likeliest first
    spans: tuple[Span, ...]
    tokens: tuple[Token, ...]
    attention: Array  # (layers, heads, tokens, tokens): from each token to each


@dataclass(frozen=True)
class Broken:
    """A text in its words, and its tokens by word."""

    text: str
    words: tuple[Word, ...]
    ids: npt.NDArray[np.int64]  # (tokens,), without [CLS] and [SEP]
    offsets: npt.NDArray[np.int64]  # (tokens, 2)
    word_of: tuple[int, ...]  # (tokens,)


def words_of(text: str, offsets: Sequence[tuple[int, int]]) -> tuple[tuple[Word, ...], tuple[int, ...]]:
    """The words of a text, and the word of each token. Words that one token spans are one word."""
    places = [match.span() for match in WORD.finditer(text)]
    if not places:
        return (), ()
    first_words = []
    merged = list(range(len(places)))  # each word's first companion
    word = 0
    for start, end in offsets:
        while start < end and text[start].isspace():
            start += 1
        while word + 1 < len(places) and places[word][1] <= start:
            word += 1
        first_words.append(word)
        last = word
        while last + 1 < len(places) and places[last + 1][0] < end:
            last += 1
            merged[last] = merged[word]
    starts = [n for n, first in enumerate(merged) if first == n]
    number = {first: n for n, first in enumerate(starts)}
    words = []
    for first, after in zip(starts, [*starts[1:], len(places)], strict=True):
        begin, end = places[first][0], places[after - 1][1]
        words.append(Word(text[begin:end], begin, end))
    return tuple(words), tuple(number[merged[first]] for first in first_words)


def arrange(text: str, words: Sequence[Word], order: Sequence[int]) -> tuple[str, list[int]]:
    """The words in another order as a text, and where each of them begins in it (by its number as written).

    What stood between two words stays between them while they are neighbours; else a sign that was written close to
    the word before it stays close, and all others are parted by a space.
    """
    pieces: list[str] = []
    starts = [0] * len(words)
    length = 0
    for before, number in zip([None, *order[:-1]], order, strict=True):
        word = words[number]
        if before is None:
            gap = ""
        elif number == before + 1:
            gap = text[words[before].end : word.start]
        else:
            close = number > 0 and words[number - 1].end == word.start and not word.text[0].isalnum()
            gap = "" if close else " "
        starts[number] = length + len(gap)
        pieces += [gap, word.text]
        length = starts[number] + len(word.text)
    return "".join(pieces), starts


class Explainer:
    """Reads one window of one model; a text that needs more is refused."""

    def __init__(self, network: NumpyNetwork, tokenizer: MailTokenizer, card: Card) -> None:
        self.network, self.tokenizer, self.card = network, tokenizer, card

    @property
    def max_tokens(self) -> int:
        return self.network.config.max_len - 2  # [CLS] and [SEP]

    def split(self, text: str) -> Broken:
        """A text's words and tokens. Raises ValueError where it has none or more than one window holds."""
        tokens = self.tokenizer.encode([text])[0]
        if not len(tokens.ids):
            raise ValueError("there is no word in the text")
        if len(tokens.ids) > self.max_tokens:
            raise ValueError(f"{len(tokens.ids)} tokens are more than the {self.max_tokens} of one window")
        words, word_of = words_of(text, [(int(start), int(end)) for start, end in tokens.offsets])
        return Broken(text, words, tokens.ids, tokens.offsets, word_of)

    def read(
        self,
        broken: Broken,
        *,
        order: Sequence[int] | None = None,
        positions: bool = True,
        heads_off: Collection[tuple[int, int]] = (),
    ) -> Reading:
        """order: every word's number once. Raises ValueError for another list, or a head that does not exist."""
        config, words = self.network.config, broken.words
        order = range(len(words)) if order is None else order
        if sorted(order) != list(range(len(words))):
            raise ValueError(f"order must name each of the words 0 to {len(words) - 1} once")
        for layer, head in heads_off:
            if not (0 <= layer < config.n_layers and 0 <= head < config.n_heads):
                raise ValueError(f"there is no head {head} in a layer {layer}: {config.n_layers} × {config.n_heads}")
        text, starts = arrange(broken.text, words, order)
        rank = {word: place for place, word in enumerate(order)}
        moved = sorted(range(len(broken.ids)), key=lambda token: (rank[broken.word_of[token]], token))
        places = []
        for token in moved:
            number = broken.word_of[token]
            shift = starts[number] - words[number].start
            start, end = (max(int(at) + shift, starts[number]) for at in broken.offsets[token])
            places.append((start, end))
        ids = np.array([self.tokenizer.cls_id, *broken.ids[moved], self.tokenizer.sep_id], dtype=np.int64)
        position_ids = np.arange(len(ids)) if positions else np.zeros_like(ids)
        out = self.network.forward(ids, position_ids, heads_off)
        probabilities = softmax(out.label_logits / self.card.temperatures(len(moved)))
        ranked = {config.labels[i]: float(probabilities[i]) for i in np.argsort(-probabilities, kind="stable")}
        label = next(iter(ranked))
        spans = decode_spans(text, np.array(places), softmax(out.role_logits[1:-1]), config.roles)
        ends = [(0, 0), *places, (len(text), len(text))]
        owners = [None, *(broken.word_of[token] for token in moved), None]
        tokens = tuple(
            Token(self.tokenizer.piece(int(ids[n])), *ends[n], int(position_ids[n]), owners[n]) for n in range(len(ids))
        )
        return Reading(text, label, ranked[label], ranked, spans, tokens, out.attention)
