"""Suites as they stand in YAML files, read strictly and expanded; the README's "Suites" tells how to write one."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from model.checks.cases import MAX_FILLER_WORDS, MIN_FILLER_WORDS, Case, Ratio, Strict, Text
from model.checks.expand import expand
from model.checks.filler import MARK

SUITES = Path(__file__).parent / "suites"
JSON_SCHEMA = Path(__file__).parent / "suite.schema.json"
DEFAULT_GROUP = "default"  # of fail_under: groups that it does not name
MAX_CASES = 100_000  # after expansion: a forgotten `sample` is told, not run for a week
MAX_ALIASED = 100_000  # values that the aliases of a file repeat
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # eight times as fast, where PyYAML was built with libyaml
OUT_OF_BOUNDS = ("greater_than_equal", "less_than_equal")
BOUNDS: Mapping[str | int, tuple[int, int]] = {  # field → the least and the most that it takes
    "fail_under": (0, 1),
    "min_order_gap": (0, 1),
    "by": (-1, 1),
    "words": (MIN_FILLER_WORDS, MAX_FILLER_WORDS),
}


class SuiteError(ValueError):
    """A suite file that cannot be run; says file, line, case and field."""


class SuiteFile(Strict):
    """A suite as it is written."""

    name: Text
    description: Text
    capability: str = Field(default="", description="What its cases are about, where they do not say; else its name.")
    fail_under: Ratio | dict[str, Ratio] = Field(
        default=1.0,
        description="Least share of the cases that must pass, group by group: one number, or a number a group with "
        "`default` for the others.",
    )
    lexicons: dict[Annotated[str, Field(pattern=r"^[A-Za-z_]+$")], Annotated[list[Text], Field(min_length=1)]] = Field(
        default={}, description="The words that a template's slots take: {fee}, or {item1} and {item2} for two."
    )
    seed: int = Field(default=0, description="Fixes samples, fillers and edits.")
    sample: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many of each template's combinations are run; all by default."
    )
    cases: Annotated[list[Annotated[Case, Field(discriminator="kind")]], Field(min_length=1)]

    @field_validator("lexicons")
    @classmethod
    def _filler_is_no_lexicon(cls, lexicons: dict[str, list[str]]) -> dict[str, list[str]]:
        if MARK.strip("{}") in lexicons:
            raise ValueError(f"{MARK} is where filler goes, so no lexicon may have its name")
        for name, words in lexicons.items():
            if twice := next((word for word in words if words.count(word) > 1), None):
                raise ValueError(f"lexicon {name!r} holds {twice!r} twice")
        return lexicons

    @model_validator(mode="after")
    def _floors_are_of_groups(self) -> SuiteFile:
        if isinstance(self.fail_under, dict):
            groups = {group_of(case, self) for case in self.cases} | {DEFAULT_GROUP}
            if unknown := sorted(set(self.fail_under) - groups):
                raise ValueError(f"field 'fail_under': no case is of group {unknown[0]!r}")
        return self


def capability_of(case: Case, suite: SuiteFile) -> str:
    return case.capability or suite.capability or suite.name


def group_of(case: Case, suite: SuiteFile) -> str:
    """Its own word; else its capability."""
    return case.group or capability_of(case, suite)


@dataclass(frozen=True)
class Suite:
    """A named list of finished cases; `sha256` is of the file, so that a run says exactly what was asked."""

    name: str
    description: str
    fail_under: Mapping[str, float]  # group → least share; DEFAULT_GROUP for those it does not name
    cases: tuple[Case, ...]
    sha256: str

    def floor(self, group: str) -> float:
        return self.fail_under.get(group, self.fail_under[DEFAULT_GROUP])

    def texts(self) -> list[str]:
        """Every mail of the suite, for keeping it out of training."""
        return [text for case in self.cases for text in case.texts()]

    def only(self, *words: str) -> Suite:
        """The suite with those cases alone whose group, capability or kind is one of the words; maybe none."""
        kept = tuple(case for case in self.cases if {case.group, case.capability, case.kind} & set(words))
        return Suite(self.name, self.description, self.fail_under, kept, self.sha256)


class _Document:
    """A parsed file that can say on which line a field stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.node: Any
        self.values: Any
        try:
            self.raw = path.read_bytes()
            loader = LOADER(self.raw)
            self.node = loader.get_single_node()
            _refuse_many_aliases(self.node)
            self.values = loader.construct_document(self.node) if self.node else None
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
            raise SuiteError(f"{path}:{line}: {error.problem}") from error
        except OSError as error:
            raise SuiteError(f"{path}: {error.strerror or error}") from error
        except (RecursionError, ValueError, yaml.YAMLError) as error:
            raise SuiteError(f"{path}: {' '.join(str(error).split())}") from error
        if not isinstance(self.values, dict):
            raise SuiteError(f"{path}: is not a mapping")
        for node, key in _doubles(self.node):
            raise SuiteError(f"{path}:{node.start_mark.line + 1}: field {key!r} is there twice")

    def _down(self, location: tuple[str | int, ...]) -> tuple[Any, list[str | int]]:
        """The node that the location leads to, and the steps of it that the file has."""
        node, steps = self.node, []
        for step in location:
            child = _child(node, step)
            if child is not None:
                node = child
                steps.append(step)
        return node, steps

    def steps(self, location: tuple[str | int, ...]) -> list[str | int]:
        """Those of the location that the file has."""
        return self._down(location)[1]

    def field(self, location: tuple[str | int, ...]) -> str:
        """The innermost key of the location."""
        return next((str(step) for step in reversed(self.steps(location)) if isinstance(step, str)), "")

    def error(self, location: tuple[str | int, ...], message: str) -> SuiteError:
        """location: keys and numbers down to the field; a step that the file has not is passed over."""
        node, steps = self._down(location)
        where = f"{self.path}:{node.start_mark.line + 1}"
        if len(steps) > 1 and steps[0] == "cases":
            case = self.values["cases"][steps[1]]
            name = f" ({case['id']})" if isinstance(case, dict) and isinstance(case.get("id"), str) else ""
            where += f": case {int(steps[1]) + 1}{name}"
            steps = steps[2:]
        inside = [str(step) for step in steps[:-1] if step in ("a", "b")]
        return SuiteError(": ".join([where, *inside, message]))


def _child(node: Any, step: str | int) -> Any:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step] if step < len(node.value) else None
    return None


def _refuse_many_aliases(root: Any) -> None:
    """A few lines of aliases to aliases stand for more than any memory holds."""
    sizes: dict[int, int] = {}  # of a node with its aliases written out; 0 while it is counted

    def size(node: Any) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = 0
            inside = node.value if isinstance(node, yaml.SequenceNode) else ()
            inside = itertools.chain.from_iterable(node.value) if isinstance(node, yaml.MappingNode) else inside
            sizes[id(node)] = 1 + sum(map(size, inside))
        elif sizes[id(node)] == 0:
            raise yaml.MarkedYAMLError(problem="an alias stands for what it is in", problem_mark=node.start_mark)
        return sizes[id(node)]

    if (repeated := size(root) - len(sizes)) > MAX_ALIASED:
        raise ValueError(f"its aliases stand for {repeated} values more than are written, over {MAX_ALIASED}")


def _doubles(node: Any) -> Iterator[tuple[Any, str]]:
    """Keys that stand twice in one mapping: YAML forbids them, and the parser would keep the last in silence."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen:
                yield key, key.value
            seen.add(key.value)
            yield from _doubles(value)
    elif isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            yield from _doubles(entry)


def _complaint(document: _Document, error: ValidationError) -> SuiteError:
    """The first thing that is wrong, in one line, and how many more there are."""
    details = error.errors()
    whole = document.steps(details[0]["loc"])
    branches = [entry for entry in details if document.steps(entry["loc"])[: len(whole)] == whole]  # of one value
    first = next((entry for entry in branches if entry["type"] in OUT_OF_BOUNDS), details[0])
    bounds = next((BOUNDS[step] for step in first["loc"] if step in BOUNDS), None)
    field = first["loc"][-1] if first["type"] == "missing" and first["loc"] else document.field(first["loc"])
    shown = repr(first["input"])
    shown = shown if len(shown) < 60 else f"{shown[:57]}…"
    if first["type"] == "missing":
        message = f"field {field!r} is missing"
    elif first["type"] == "extra_forbidden":
        message = f"field {field!r} is unknown"
    elif first["type"] == "union_tag_not_found":
        message = "field 'kind' is missing"
    elif first["type"] == "union_tag_invalid":
        message = (
            f"field 'kind': {first['ctx']['tag']!r} is none of {first['ctx']['expected_tags'].replace(chr(39), '')}"
        )
    elif first["type"] in OUT_OF_BOUNDS and bounds is not None:
        message = f"field {field!r}: {shown} is not between {bounds[0]} and {bounds[1]}"
    elif first["type"] == "value_error":
        message = str(first["ctx"]["error"])
    elif first["type"] == "literal_error":
        message = f"field {field!r}: {shown} is none of {first['ctx']['expected']}"
    else:
        message = f"field {field!r}: {shown}: {first['msg'][0].lower()}{first['msg'][1:]}"
    others = len(details) - len(branches)
    more = f" (and {others} more)" if others else ""
    return document.error(first["loc"], message + more)


def read_suite(path: Path) -> Suite:
    """Raises SuiteError for a file that is not there, not YAML, or not a suite."""
    document = _Document(path)
    try:
        file = SuiteFile.model_validate(document.values)
    except ValidationError as error:
        raise _complaint(document, error) from None
    cases: list[Case] = []
    seen: dict[str, int] = {}
    for number, written in enumerate(file.cases):
        own = {"capability": capability_of(written, file), "group": group_of(written, file)}
        try:
            made = expand(written.model_copy(update=own), file.lexicons, file.seed, file.sample)
        except ValidationError as error:  # of what the slots or the filler made
            found = error.errors()[0]
            told = found.get("ctx", {}).get("error") or found["msg"]
            raise document.error(("cases", number), str(told)) from None
        except ValueError as error:
            raise document.error(("cases", number), str(error)) from None
        for case in made:
            if case.id in seen:
                raise document.error(("cases", number, "id"), f"case id {case.id!r} is used twice")
            seen[case.id] = number
        cases += made
        if len(cases) > MAX_CASES:
            raise document.error(("cases", number), f"over {MAX_CASES} cases: give 'sample'")
    floors = file.fail_under if isinstance(file.fail_under, dict) else {DEFAULT_GROUP: file.fail_under}
    floors = {DEFAULT_GROUP: 1.0, **floors}
    return Suite(file.name, file.description, floors, tuple(cases), hashlib.sha256(document.raw).hexdigest())


def shipped_suites() -> list[Path]:
    return suites_in(SUITES)


def suites_in(path: Path) -> list[Path]:
    """The suite files of a folder, or the one file. Raises SuiteError for a folder that holds none."""
    if not path.is_dir():
        return [path]
    found = sorted({*path.glob("*.yaml"), *path.glob("*.yml")})
    if not found:
        raise SuiteError(f"{path}: holds no .yaml file")
    return found


def read_suites(paths: list[Path]) -> list[Suite]:
    """Every suite of these files and folders. Two of one name are a SuiteError: their runs could not be told apart."""
    suites: dict[str, Path] = {}
    read = []
    for file in dict.fromkeys(file for path in paths for file in suites_in(path)):
        suite = read_suite(file)
        if suite.name in suites:
            raise SuiteError(f"{file}: suite {suite.name!r} is already in {suites[suite.name]}")
        suites[suite.name] = file
        read.append(suite)
    return read


def json_schema() -> str:
    """For editors: name it on a suite's first line as `# yaml-language-server: $schema=…/suite.schema.json`."""
    return json.dumps(SuiteFile.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    JSON_SCHEMA.write_text(json_schema(), encoding="utf-8")
