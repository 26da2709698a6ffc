"""What a run keeps of itself, so that it goes on after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch


def save_whole(state: dict[str, Any], file: Path) -> None:
    """By rename: a kill in mid-write leaves the former state whole. Makes the folder where it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    torch.save(state, partial)
    partial.replace(file)
