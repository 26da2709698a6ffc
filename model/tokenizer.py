"""Text to token ids and character offsets, and a long mail to overlapping windows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from model.checkpoint import ModelFolderError

PAD, UNKNOWN, CLS, SEP = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
OVERLAP_RATIO = 0.25  # of a window, shared with the next, so that no phrase is read only at an edge


@dataclass(frozen=True)
class Tokens:
    """One text as tokens, without [CLS] and [SEP]."""

    ids: npt.NDArray[np.int64]  # (tokens,)
    offsets: npt.NDArray[np.int64]  # (tokens, 2): start and end in characters of the text
    unknown_ratio: float


class MailTokenizer:
    """Sub-word pieces through the `tokenizers` library: whatever kind the model folder's tokenizer.json describes."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self.pad_id, self.unknown_id = self._special(PAD), self._special(UNKNOWN)
        self.cls_id, self.sep_id = self._special(CLS), self._special(SEP)

    def _special(self, name: str) -> int:
        token_id: int | None = self._tokenizer.token_to_id(name)
        if token_id is None:
            raise ValueError(f"the vocabulary lacks the special token {name}")
        return token_id

    @classmethod
    def from_file(cls, path: Path) -> MailTokenizer:
        try:
            return cls(Tokenizer.from_file(str(path)))
        except Exception as error:  # the library raises bare Exception for every fault of the file
            raise ModelFolderError(path, f"is not a tokenizer: {error}") from error

    @property
    def vocab_size(self) -> int:
        size: int = self._tokenizer.get_vocab_size()
        return size

    def piece(self, token_id: int) -> str:
        """The token as its vocabulary writes it, for people. Raises ValueError for an id outside the vocabulary."""
        piece: str | None = self._tokenizer.id_to_token(token_id)
        if piece is None:
            raise ValueError(f"no token has the id {token_id}")
        return piece

    def to_json(self) -> str:
        text: str = self._tokenizer.to_str(pretty=False)
        return text

    def encode(self, texts: list[str]) -> list[Tokens]:
        """Offsets index the text as given. Raises ValueError for a lone surrogate, which is no character."""
        for row, text in enumerate(texts):
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                raise ValueError(f"text {row}: a lone surrogate at character {error.start}") from error
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        result = []
        for entry in encoded:
            ids = np.array(entry.ids, dtype=np.int64)
            offsets = np.array(entry.offsets, dtype=np.int64).reshape(-1, 2)
            unknown = float((ids == self.unknown_id).mean()) if ids.size else 0.0
            result.append(Tokens(ids, offsets, unknown))
        return result


@dataclass(frozen=True)
class Window:
    """A run of one text's tokens, and the part of it whose roles are taken from here."""

    text: int  # which of the texts
    start: int
    stop: int
    own_start: int  # each token belongs to the one window in which it stands farther from the edge
    own_stop: int


def cut_windows(text: int, n_tokens: int, capacity: int) -> list[Window]:
    """Cover n_tokens by windows of at most `capacity` tokens that overlap by a quarter."""
    step = capacity - int(capacity * OVERLAP_RATIO)
    starts = [0]
    while starts[-1] + capacity < n_tokens:
        starts.append(starts[-1] + step)
    borders = [0, *((left + capacity + right) // 2 for left, right in pairwise(starts)), n_tokens]
    return [
        Window(text, start, min(start + capacity, n_tokens), own_start, own_stop)
        for start, (own_start, own_stop) in zip(starts, pairwise(borders), strict=True)
    ]
