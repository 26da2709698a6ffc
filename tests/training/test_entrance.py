from __future__ import annotations

import sys

import pytest

from training.entrance import main


def test_without_torch_the_trainer_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("torch.", "training."))]:
        if name != "training.entrance":
            monkeypatch.delitem(sys.modules, name)

    class NoTorch:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "torch":
                raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NoTorch, *sys.meta_path])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("refund-trainer: torch is not installed; pip install 'refund-router[train]'")
    assert told.count("\n") == 1
