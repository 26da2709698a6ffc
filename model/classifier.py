"""The classifier as everyone uses it: service, checks and evaluation alike. Runs the ONNX graph; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import onnxruntime

from model.checkpoint import ModelFolderError, read_model_folder
from model.explain import Explainer
from model.forward import NumpyNetwork, open_weights
from model.reference import MailEmbedding, read_reference
from model.spans import Span, decode_spans
from model.tokenizer import MailTokenizer, Tokens, Window, cut_windows

Array = npt.NDArray[np.float32]
Float = TypeVar("Float", np.float32, np.float64)

MAX_TOKENS = 20_480  # read of one mail; the rest is left out and the prediction says `truncated`
MAX_CHARACTERS = 200_000  # likewise, before the text is cut into tokens
BATCH_TOKENS = 4_096  # of one forward pass, padding included: bounds memory


@dataclass(frozen=True)
class Prediction:
    """What the model says of one text."""

    label: str
    confidence: float  # the label's calibrated probability
    probabilities: dict[str, float]  # every label, likeliest first
    spans: tuple[Span, ...]
    truncated: bool
    n_tokens: int
    unknown_ratio: float  # share of tokens that the vocabulary does not know


@dataclass
class Spent:
    """Time that predictions took, summed over the calls that were given it."""

    tokenize_seconds: float = 0.0
    inference_seconds: float = 0.0


def softmax(logits: npt.NDArray[Float]) -> npt.NDArray[Float]:
    """Over the last axis, in the precision of the logits."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    result: npt.NDArray[Float] = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


class Classifier:
    """Reads mails of any length by overlapping windows; one intra-op thread unless told otherwise."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Raises ModelFolderError where the folder is incomplete, altered or foreign."""
        checked = read_model_folder(folder)
        self.config, self.card, self.version = checked.config, checked.card, checked.version
        self.tokenizer = MailTokenizer.from_file(folder / "tokenizer.json")
        if self.tokenizer.vocab_size != self.config.vocab_size:
            raise ModelFolderError(
                folder / "tokenizer.json",
                f"has {self.tokenizer.vocab_size} tokens where config.json says {self.config.vocab_size}",
            )
        self._weights = open_weights(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads  # more than one beside a busy neighbour costs up to a hundredfold
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises a dozen unrelated types for a graph it cannot load
            raise ModelFolderError(folder / "model.onnx", f"does not load: {error}") from error
        self.reference = read_reference(folder)
        self.embedding = MailEmbedding(folder, self.reference.projection) if self.reference is not None else None
        self._probe(folder / "model.onnx")

    def _probe(self, path: Path) -> None:
        """Read one word, so that a graph of other inputs or widths is refused now and not at the first mail."""
        try:
            logits, roles = self._read(self.tokenizer.encode(["refund"]), positions=True)
        except Exception as error:  # onnxruntime's own, or numpy's where a width does not fit
            raise ModelFolderError(path, f"does not fit config.json: {error}") from error
        if logits.shape[1] != len(self.classes) or not np.isfinite(logits).all() or not np.isfinite(roles[0]).all():
            raise ModelFolderError(path, "does not give finite logits for the labels of config.json")

    @cached_property
    def explainer(self) -> Explainer:
        """The same model with its attention laid open; its weights are read when it is first asked for."""
        return Explainer(NumpyNetwork(self.config, self._weights), self.tokenizer, self.card)

    @property
    def classes(self) -> tuple[str, ...]:
        return self.config.labels

    def predict(self, texts: list[str], *, positions: bool = True, spent: Spent | None = None) -> list[Prediction]:
        """One prediction a text, in order. With positions off every token is told that it stands at 0."""
        started = perf_counter()
        encoded = self._encode(texts)
        tokenized = perf_counter()
        label_logits, role_logits = self._read(encoded, positions)
        predictions = [
            self._prediction(text, tokens, logits, roles)
            for text, tokens, logits, roles in zip(texts, encoded, label_logits, role_logits, strict=True)
        ]
        if spent is not None:
            spent.tokenize_seconds += tokenized - started
            spent.inference_seconds += perf_counter() - tokenized
        return predictions

    def predict_proba(self, texts: list[str], *, positions: bool = True) -> Array:
        """Calibrated probabilities (texts, classes), columns as in `classes`."""
        encoded = self._encode(texts)
        label_logits, _ = self._read(encoded, positions)
        return softmax(label_logits / self.card.temperatures([[len(tokens.ids)] for tokens in encoded]))

    def _encode(self, texts: list[str]) -> list[Tokens]:
        return self.tokenizer.encode([text[:MAX_CHARACTERS] for text in texts])

    def _prediction(self, text: str, tokens: Tokens, logits: Array, roles: Array) -> Prediction:
        n_tokens = len(tokens.ids)
        probabilities = softmax(logits / self.card.temperatures(n_tokens))
        order = np.argsort(-probabilities, kind="stable")
        ranked = {self.classes[i]: float(probabilities[i]) for i in order}
        label = next(iter(ranked))
        spans = decode_spans(text, tokens.offsets[: len(roles)], softmax(roles), self.config.roles)
        truncated = n_tokens > MAX_TOKENS or len(text) > MAX_CHARACTERS
        return Prediction(label, ranked[label], ranked, spans, truncated, n_tokens, tokens.unknown_ratio)

    def _read(self, encoded: list[Tokens], positions: bool) -> tuple[Array, list[Array]]:
        """Label logits (texts, labels) and, for each text, role logits (tokens, roles), both of what is read."""
        capacity = self.config.max_len - 2  # [CLS] and [SEP]
        lengths = [min(len(tokens.ids), MAX_TOKENS) for tokens in encoded]
        windows = [window for i, length in enumerate(lengths) for window in cut_windows(i, length, capacity)]
        windows.sort(key=lambda window: window.stop - window.start)  # alike lengths together: little padding
        n_texts, n_labels, n_roles = len(encoded), len(self.config.labels), len(self.config.roles)
        roles = [np.zeros((length, n_roles), dtype=np.float32) for length in lengths]
        votes: list[list[tuple[Array, Array]]] = [[] for _ in range(n_texts)]
        for group in self._groups(windows):
            label_logits, logsumexp, role_logits = self._run(group, encoded, positions)
            for row, window in enumerate(group):
                votes[window.text].append((label_logits[row], logsumexp[row]))
                own = role_logits[row, 1 + window.own_start - window.start : 1 + window.own_stop - window.start]
                roles[window.text][window.own_start : window.own_stop] = own
        joined = np.zeros((n_texts, n_labels), dtype=np.float32)
        for text, parts in enumerate(votes):
            logits = np.stack([part[0] for part in parts])  # (windows, labels)
            weights = softmax(np.stack([part[1] for part in parts]).T).T  # (windows, labels), summing to 1 over windows
            joined[text] = (weights * logits).sum(axis=0)  # the head is linear, so this is one pooling over all windows
        return joined, roles

    @staticmethod
    def _groups(windows: list[Window]) -> list[list[Window]]:
        """Runs of windows, shortest first, whose padded size stays under BATCH_TOKENS."""
        groups: list[list[Window]] = []
        for window in windows:
            length = window.stop - window.start + 2
            if not groups or (len(groups[-1]) + 1) * length > BATCH_TOKENS:
                groups.append([])
            groups[-1].append(window)
        return groups

    def _run(self, group: list[Window], encoded: list[Tokens], positions: bool) -> tuple[Array, Array, Array]:
        """One forward pass over windows padded to the longest (the last)."""
        length = group[-1].stop - group[-1].start + 2
        token_ids = np.full((len(group), length), self.tokenizer.pad_id, dtype=np.int64)
        padding_mask = np.zeros((len(group), length), dtype=bool)
        for row, window in enumerate(group):
            size = window.stop - window.start
            token_ids[row, 0] = self.tokenizer.cls_id
            token_ids[row, 1 : 1 + size] = encoded[window.text].ids[window.start : window.stop]
            token_ids[row, 1 + size] = self.tokenizer.sep_id
            padding_mask[row, : size + 2] = True
        position_ids = np.zeros_like(token_ids)
        if positions:
            position_ids[:] = np.arange(length)
        label_logits, logsumexp, role_logits = self._session.run(
            ["label_logits", "pool_logsumexp", "role_logits"],
            {"token_ids": token_ids, "position_ids": position_ids, "padding_mask": padding_mask},
        )
        return label_logits, logsumexp, role_logits
