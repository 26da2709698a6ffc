"""Suites as pytest items: `pytest --refund-suite our-suites --refund-model model/released`, or any `*.suite.yaml`.

Each case is one item, named by its id; capability, group, kind, severity, trade and language can be picked with `-k`.
A case that fails fails its item: floors (`fail_under`) are of `refund-router check`, which counts whole groups.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from model.checks.cases import Case
    from model.checks.results import CaseResult
    from model.classifier import Classifier

SUFFIXES = (".suite.yaml", ".suite.yml")
MODEL = Path(__file__).parent.parent / "released"
CLASSIFIER = pytest.StashKey["Classifier"]()
FILES = pytest.StashKey[frozenset[Path]]()


class CaseFailedError(Exception):
    """A case that the model failed, with what it was asked and what it said."""

    def __init__(self, result: CaseResult, version: str) -> None:
        super().__init__(result.reason)
        self.result, self.version = result, version


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("refund-router", "Refund Router's order checks")
    group.addoption(
        "--refund-suite",
        action="append",
        default=[],
        metavar="PATH",
        help="a suite file, or a folder of them; may be repeated; files named *.suite.yaml are collected without it",
    )
    group.addoption("--refund-model", default=str(MODEL), metavar="FOLDER", help="model folder; the released one")


def pytest_configure(config: pytest.Config) -> None:
    asked = config.getoption("--refund-suite")
    files: list[Path] = []
    if asked:
        from model.checks.schema import SuiteError, suites_in

        try:
            files = [file.resolve() for path in asked for file in suites_in(Path(path))]
        except SuiteError as error:
            raise pytest.UsageError(str(error)) from error
        # Beside paths that were named; in place of those that pytest would take where none was.
        given = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
        config.args = [*given, *(str(file) for file in files if str(file) not in given)]
    config.stash[FILES] = frozenset(files)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.name.endswith(SUFFIXES) or file_path.resolve() in parent.config.stash[FILES]:
        # pytest gives a file that lies outside its root and was named itself an empty id
        nodeid = Path(os.path.relpath(file_path, parent.config.rootpath)).as_posix()
        return SuiteItems.from_parent(parent, path=file_path, nodeid=nodeid)
    return None


class SuiteItems(pytest.File):
    """One suite file."""

    def collect(self) -> Iterator[pytest.Item]:
        from model.checks.schema import SuiteError, read_suite

        try:
            suite = read_suite(self.path)
        except SuiteError as error:
            raise self.CollectError(str(error)) from error
        for case in suite.cases:
            yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """One case, read on the model that the whole session shares."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case
        words = (case.kind, case.capability, case.group, case.severity, case.trade, case.lang)
        self.extra_keyword_matches.update(word for word in words if word)
        self.user_properties += [("kind", case.kind), ("group", case.group), ("severity", case.severity)]

    def runtest(self) -> None:
        from model.checks.runner import run_cases

        classifier = _classifier(self.config)
        (result,) = run_cases([self.case], classifier)
        if result.order_gap is not None:
            self.user_properties.append(("order_gap", f"{result.order_gap:.4f}"))
        if not result.passed:
            raise CaseFailedError(result, classifier.version)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was asked, what was read and what was expected; pytest's own account of any other error."""
        if not isinstance(excinfo.value, CaseFailedError):
            return super().repr_failure(excinfo, style)
        result, version = excinfo.value.result, excinfo.value.version
        lines = [f"{result.case.kind} case {result.case.id} on model {version}: {result.reason}"]
        for reading in result.readings:
            expected = f", expected {reading.expected}" if reading.expected else ""
            lines += ["", f"{reading.name}: {reading.label} {reading.confidence:.3f}{expected}"]
            lines += [f"    {line}" for line in reading.text.splitlines()]
            lines += [f"    {span.role}: {span.text}" for span in reading.spans]
        return "\n".join(lines)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name}: {self.case.id}"


def _classifier(config: pytest.Config) -> Classifier:
    if CLASSIFIER not in config.stash:
        from model.checkpoint import ModelFolderError
        from model.classifier import Classifier

        try:
            config.stash[CLASSIFIER] = Classifier(Path(config.getoption("--refund-model")))
        except ModelFolderError as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
    return config.stash[CLASSIFIER]
