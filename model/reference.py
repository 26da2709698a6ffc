"""reference.json of a model folder: the mails it was calibrated on, as numbers that tell nothing of any one of them.

The file may be missing: folders made before have none, and then drift is not measured. It is not among the files that
config.json names, so that a finished folder can be given one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from model.checkpoint import ModelFolderError
from model.forward import EMBEDDING, SCALE_SUFFIX, open_weights

FILE = "reference.json"
FORMAT = 1
SIGNALS = ("label_mix", "confidence", "length", "unknown", "language", "embedding")
PIECE = 4_096  # words that are widened at once
SIZES = (50, 100, 200, 500, 1_000, 2_000)  # numbers of mails for which chance was measured


@dataclass(frozen=True)
class MailNumbers:
    """What drift looks at in one mail."""

    label: str
    confidence: float
    n_tokens: int
    unknown_ratio: float
    language: str
    embedding: tuple[float, ...]


@dataclass(frozen=True)
class Projection:
    """Mean word vectors to a few numbers with mean 0 and variance 1 over the reference's mails."""

    mean: tuple[float, ...]  # (d_model,)
    components: tuple[tuple[float, ...], ...]  # (dimensions, d_model), scaled


@dataclass(frozen=True)
class Reference:
    model_version: str
    mails: int
    source: str  # where the mails came from, for people
    labels: dict[str, float]  # share of each predicted label
    confidence: float
    accuracy: float
    length_edges: tuple[float, ...]  # between tenths of the number of tokens
    length_shares: tuple[float, ...]
    unknown_ratio: float
    languages: dict[str, float]  # share of each trained language and of the others
    projection: Projection
    thresholds: dict[str, dict[int, float]]  # signal → number of mails → largest distance that chance explains

    @property
    def dimensions(self) -> int:
        return len(self.projection.components)


def write_reference(folder: Path, reference: Reference) -> None:
    text = json.dumps({"format": FORMAT, **asdict(reference)}, separators=(",", ":"), ensure_ascii=False)
    partial = folder / f"{FILE}.partial"
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(folder / FILE)


def read_reference(folder: Path) -> Reference | None:
    """None where the folder has none. Raises ModelFolderError where the file is broken."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("format") != FORMAT:
            raise ValueError(f"format is not {FORMAT}")
        reference = _reference(values)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFolderError(path, f"is not a reference: {type(error).__name__}: {error}") from error
    if set(reference.thresholds) != set(SIGNALS) or any(set(at) != set(SIZES) for at in reference.thresholds.values()):
        raise ModelFolderError(path, f"has not a threshold of each signal for {', '.join(map(str, SIZES))} mails")
    return reference


def _reference(values: dict[str, Any]) -> Reference:
    projection = values.pop("projection")
    thresholds = values.pop("thresholds")
    return Reference(
        **{**values, **{name: tuple(values[name]) for name in ("length_edges", "length_shares")}},
        projection=Projection(
            tuple(map(float, projection["mean"])), tuple(tuple(map(float, row)) for row in projection["components"])
        ),
        thresholds={
            signal: {int(size): float(value) for size, value in at.items()} for signal, at in thresholds.items()
        },
    )


def word_vectors(folder: Path) -> npt.NDArray[np.float32]:
    """The network's own table of word vectors (vocab_size, d_model), widened to float32. Raises ModelFolderError."""
    try:
        return _widened(open_weights(folder), slice(None))
    except SafetensorError as error:
        raise _no_table(folder, error) from error


def _widened(stored: safe_open, rows: slice) -> npt.NDArray[np.float32]:
    table: npt.NDArray[np.float32] = stored.get_slice(EMBEDDING)[rows].astype(np.float32)  # type: ignore[no-untyped-call]
    if EMBEDDING + SCALE_SUFFIX in stored.keys():  # type: ignore[no-untyped-call]  # noqa: SIM118 — it is no mapping
        table *= stored.get_slice(EMBEDDING + SCALE_SUFFIX)[rows]  # type: ignore[no-untyped-call]
    return table


def _no_table(folder: Path, error: SafetensorError) -> ModelFolderError:
    return ModelFolderError(folder / "weights.safetensors", f"has no table of word vectors: {error}")


class MailEmbedding:
    """Token ids to the few numbers of a projection: the mean over a mail's words, which tells its subject."""

    def __init__(self, folder: Path, projection: Projection) -> None:
        """Raises ModelFolderError. The words' own numbers are made when the first mail is asked for."""
        self._stored = open_weights(folder)
        try:
            self._shape: list[int] = self._stored.get_slice(EMBEDDING).get_shape()  # type: ignore[no-untyped-call]
        except SafetensorError as error:
            raise _no_table(folder, error) from error
        self._mean = np.asarray(projection.mean, dtype=np.float32)
        self._components = np.asarray(projection.components, dtype=np.float32)
        width = self._shape[1]
        if self._components.ndim != 2 or self._components.shape[1] != width or self._mean.shape != (width,):
            raise ModelFolderError(folder / FILE, f"has another width than the network's d_model {width}")

    @cached_property
    def _table(self) -> npt.NDArray[np.float32]:
        """(vocab_size, dimensions): a mean of projections is the projection of the mean. A piece at a time, for the
        vectors of all words take more memory than the rest of the service."""
        size = self._shape[0]
        pieces = (slice(start, min(start + PIECE, size)) for start in range(0, size, PIECE))
        return np.concatenate([(_widened(self._stored, rows) - self._mean) @ self._components.T for rows in pieces])

    def __call__(self, token_ids: npt.NDArray[np.int64]) -> tuple[float, ...]:
        """token_ids (tokens,), at least one → (dimensions,)."""
        return tuple(round(float(value), 4) for value in self._table[token_ids].mean(axis=0))
