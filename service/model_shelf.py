"""The models that a process can serve: each folder in the models folder, the released one, the one of the settings.

A model is served from a private copy, so that a folder which is swapped or written over under the service changes
nothing: ONNX Runtime maps the weights' file into memory and would read the new bytes, or die of a shorter file.
"""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from model.checkpoint import PAYLOAD_FILES, Card, ModelFolderError, read_model_folder
from model.classifier import Classifier
from model.reference import FILE as REFERENCE_FILE

Stamp = tuple[tuple[str, int, int], ...]


class UnknownModel(LookupError):
    """No folder, or more than one, is the model that was named."""


@dataclass(frozen=True)
class ShelvedModel:
    """A folder as it was found; version and card are None where problem says what is wrong with it."""

    path: Path
    version: str | None
    card: Card | None
    problem: str | None


def load_copy(folder: Path) -> Classifier:
    """The model of a folder, read from a copy that nobody can change. Raises ModelFolderError."""
    with tempfile.TemporaryDirectory(prefix="refund-router-model-") as private:
        try:
            for name in ("config.json", *PAYLOAD_FILES):
                shutil.copyfile(folder / name, Path(private) / name)
            if (folder / REFERENCE_FILE).exists():
                shutil.copyfile(folder / REFERENCE_FILE, Path(private) / REFERENCE_FILE)
        except OSError as error:
            read_model_folder(folder)  # says better what is wrong, where something of the folder is
            raise ModelFolderError(folder, f"cannot be copied to {private}: {error.strerror}") from error
        try:
            classifier = Classifier(Path(private))  # what it maps of the copy stays when the copy's names go
        except ModelFolderError as error:
            raise ModelFolderError(folder / error.path.name, error.reason) from error
    give_back_memory()
    return classifier


def give_back_memory() -> None:
    """ONNX Runtime widens the weights in pieces that glibc keeps when they are freed: 190 MB of the released model."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others need none
    if trim is not None:
        trim(0)


class ModelShelf:
    """models_folder may be missing: then it holds no models. default is the folder, and default_version its model, that
    serves before any promotion."""

    def __init__(self, models_folder: Path, *, default: Path, default_version: str, released: Path) -> None:
        self.models_folder, self._default, self._released = models_folder, default, released
        self.default_version = default_version
        self._known: dict[Path, tuple[Stamp, ShelvedModel]] = {}

    def models(self) -> list[ShelvedModel]:
        """Each once, good ones by version, then the bad ones; a folder is read again only where a file changed."""
        folders = [self._default, self._released]
        if self.models_folder.is_dir():
            folders += sorted(path for path in self.models_folder.iterdir() if path.is_dir())
        found = [self._look(path) for path in dict.fromkeys(path.resolve() for path in folders)]
        good = {entry.version: entry for entry in reversed(found) if entry.version is not None}
        return [good[version] for version in sorted(good)] + [entry for entry in found if entry.version is None]

    def find(self, version: str) -> ShelvedModel:
        """By its whole version, or by the card's where only one model has it. Raises UnknownModel."""
        good = [entry for entry in self.models() if entry.card is not None]
        found = [entry for entry in good if entry.version == version]
        found = found or [entry for entry in good if entry.card is not None and entry.card.version == version]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownModel(f"{version} may be {' or '.join(str(entry.version) for entry in found)}")
        raise UnknownModel(f"no model folder holds {version}; its folder goes into {self.models_folder}")

    def load(self, version: str) -> Classifier:
        """Raises UnknownModel or ModelFolderError, also where the folder was swapped for another model meanwhile."""
        entry = self.find(version)
        classifier = load_copy(entry.path)
        if classifier.version != entry.version:
            raise ModelFolderError(entry.path, f"holds {classifier.version} now, not {entry.version}")
        return classifier

    def _look(self, path: Path) -> ShelvedModel:
        stamp = _stamp(path)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            folder = read_model_folder(path)
            entry = ShelvedModel(path, folder.version, folder.card, None)
        except ModelFolderError as error:
            entry = ShelvedModel(path, None, None, f"{error.path.name}: {error.reason}")
        except OSError as error:
            entry = ShelvedModel(path, None, None, str(error.strerror))
        self._known[path] = (stamp, entry)
        return entry


def _stamp(path: Path) -> Stamp:
    """What changes when a file does."""
    seen = []
    for name in ("config.json", *PAYLOAD_FILES):
        try:
            stat = (path / name).stat()
        except OSError:
            continue
        seen.append((name, stat.st_mtime_ns, stat.st_size))
    return tuple(seen)
