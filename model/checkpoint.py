"""A model folder: config.json, tokenizer.json, weights.safetensors, model.onnx, card.json; reference.json may be there.

config.json is the manifest: the network's shape and the SHA-256 of every other file. It is written last, so a
folder whose writing was cut short has none and is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from model.config import LABELS, ModelConfig

PAYLOAD_FILES = ("tokenizer.json", "weights.safetensors", "model.onnx", "card.json")
FORMAT = 1
MAX_VERSION_CHARACTERS = 56  # of a card; with the identity's hash a version has 64
HASH_CHARACTERS = 7
# Calibration searches temperatures from 0.25 to 6; one far under makes every confidence 1.
LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.25, 6.0
# Long mails are believed too easily, short ones too little: the temperature grows with a power of a mail's tokens.
MIDDLE_TOKENS = 30  # of a mail whose temperature is the card's own
FEWEST_TOKENS, MOST_TOKENS = 10, 1_000  # mails out of this are taken as if they had so many
MOST_EXPONENT = 0.5  # either way
# Under a half another label may be as likely as the one that is acted on; what is over 1 is reached by none.
LEAST_THRESHOLD, MOST_THRESHOLD = 0.5, 1.01
LANGUAGE = re.compile("[a-z]{2}")


class ModelFolderError(ValueError):
    """A model folder that cannot be used; says which file and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"model folder: {path}: {reason}")
        self.path = path
        self.reason = reason


def length_factors(n_tokens: npt.ArrayLike, exponent: float) -> npt.NDArray[np.float64]:
    """How many times the temperature of a mail of MIDDLE_TOKENS mails of so many tokens have."""
    lengths = np.clip(np.asarray(n_tokens, dtype=np.float64), FEWEST_TOKENS, MOST_TOKENS)
    factors: npt.NDArray[np.float64] = (lengths / MIDDLE_TOKENS) ** exponent
    return factors


@dataclass(frozen=True)
class Card:
    """What a model says of itself: version, calibration, thresholds and the figures it was measured at."""

    version: str
    temperature: float = 1.0  # of a mail of MIDDLE_TOKENS
    length_exponent: float = 0.0  # the power of the tokens that the temperature grows with
    thresholds: dict[str, float] = field(default_factory=dict)  # label → least confidence for decision "auto"
    languages: tuple[str, ...] = ("en",)  # ISO 639-1 codes it was trained on
    details: dict[str, Any] = field(default_factory=dict)  # recipe, corpus hash, seed, metrics: for people

    def temperatures(self, n_tokens: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """What the logits of mails of so many tokens are divided by, in the shape of `n_tokens`."""
        return (self.temperature * length_factors(n_tokens, self.length_exponent)).astype(np.float32)

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "temperature": self.temperature,
            "length_exponent": self.length_exponent,
            "thresholds": self.thresholds,
            "languages": list(self.languages),
            "details": self.details,
        }


@dataclass(frozen=True)
class ModelFolder:
    """A checked folder: every file is there and is the one that config.json names."""

    path: Path
    config: ModelConfig
    card: Card
    version: str  # the card's, and a hash over every file: no two models share it


def identity(card: Card, manifest: dict[str, Any]) -> str:
    """`2026.12.1+9f3c2e1`: the card's version with the first digits of a SHA-256 over the manifest, which names every
    file's own. A version that has a plus already gets a dot, as Semantic Versioning joins build metadata."""
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()[:HASH_CHARACTERS]
    return f"{card.version}{'.' if '+' in card.version else '+'}{digest}"


def file_sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_manifest(folder: Path, config: ModelConfig) -> None:
    """Write config.json over finished payload files, by rename, so that it is whole or absent."""
    manifest = {
        "format": FORMAT,
        "network": config.to_dict(),
        "sha256": {name: file_sha256(folder / name) for name in PAYLOAD_FILES},
    }
    partial = folder / "config.json.partial"
    partial.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    partial.replace(folder / "config.json")


def write_card(folder: Path, card: Card) -> None:
    text = json.dumps(card.to_dict(), indent=2, ensure_ascii=False) + "\n"
    (folder / "card.json").write_text(text, encoding="utf-8")


def rewrite_card(folder: Path, config: ModelConfig, card: Card) -> None:
    """Put another card into a finished folder, as calibration and evaluation do once they have read with it."""
    write_card(folder, card)
    write_manifest(folder, config)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelFolderError(path, "is missing") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelFolderError(path, f"is not readable JSON: {error}") from error
    if not isinstance(values, dict):
        raise ModelFolderError(path, "is not a JSON object")
    return values


def read_card(path: Path) -> Card:
    values = _read_json(path)
    try:
        card = Card(
            version=str(values["version"]),
            temperature=float(values["temperature"]),
            length_exponent=float(values.get("length_exponent", 0.0)),  # cards of 2026.12.7 and before have none
            thresholds={str(label): float(value) for label, value in values["thresholds"].items()},
            languages=tuple(values["languages"]),
            details=dict(values["details"]),
        )
    except KeyError as error:
        raise ModelFolderError(path, f"field {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelFolderError(path, f"holds a wrong value: {error}") from error
    bounded = [
        (f"temperature {card.temperature}", card.temperature, LEAST_TEMPERATURE, MOST_TEMPERATURE),
        (f"length_exponent {card.length_exponent}", card.length_exponent, -MOST_EXPONENT, MOST_EXPONENT),
        *(
            (f"threshold {threshold} of {label!r}", threshold, LEAST_THRESHOLD, MOST_THRESHOLD)
            for label, threshold in card.thresholds.items()
        ),
    ]
    for what, value, least, most in bounded:
        if not least <= value <= most:
            raise ModelFolderError(path, f"{what} is not between {least} and {most}")
    for language in card.languages:
        if not isinstance(language, str) or not LANGUAGE.fullmatch(language):
            raise ModelFolderError(path, f"language {language!r} is no ISO 639-1 code")
    if not 0 < len(card.version) <= MAX_VERSION_CHARACTERS:
        raise ModelFolderError(path, f"version {card.version!r} is not of 1 to {MAX_VERSION_CHARACTERS} characters")
    return card


def read_model_folder(path: Path) -> ModelFolder:
    """Check a folder and read its config and card. Raises ModelFolderError naming the file at fault."""
    if not path.is_dir():
        raise ModelFolderError(path, "is not a folder")
    manifest = _read_json(path / "config.json")
    if type(manifest.get("format")) is not int or manifest["format"] != FORMAT:
        raise ModelFolderError(path / "config.json", f"format {manifest.get('format')!r} is not {FORMAT}")
    sums = manifest.get("sha256")
    if not isinstance(sums, dict) or not isinstance(manifest.get("network"), dict):
        raise ModelFolderError(path / "config.json", "lacks 'network' or 'sha256'")
    for name in PAYLOAD_FILES:
        if not (path / name).is_file():
            raise ModelFolderError(path / name, "is missing")
        if file_sha256(path / name) != sums.get(name):
            raise ModelFolderError(path / name, "is not the file that config.json names (its SHA-256 differs)")
    try:
        config = ModelConfig.from_dict(manifest["network"])
    except (TypeError, ValueError) as error:
        raise ModelFolderError(path / "config.json", f"network: {error}") from error
    if set(config.labels) != set(LABELS):
        raise ModelFolderError(path / "config.json", f"labels are {', '.join(config.labels)}, not this version's")
    card = read_card(path / "card.json")
    if unknown := sorted(set(card.thresholds) - set(config.labels)):
        raise ModelFolderError(path / "card.json", f"has a threshold for {unknown[0]!r}, which is no label")
    return ModelFolder(path, config, card, identity(card, manifest))
