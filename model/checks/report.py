"""A run's results as JSON and as JUnit XML. The JSON is also what a later run takes as its baseline."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

from model.checks.baseline import Comparison
from model.checks.results import CaseResult, Reading, RunResult

NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def _reading_json(reading: Reading) -> dict[str, Any]:
    return {
        "name": reading.name,
        "text": reading.text,
        "expected": reading.expected,
        "label": reading.label,
        "confidence": reading.confidence,
        "spans": [
            {"role": s.role, "text": s.text, "start": s.start, "end": s.end, "confidence": s.confidence}
            for s in reading.spans
        ],
        "seconds": reading.seconds,
    }


def _case_json(result: CaseResult) -> dict[str, Any]:
    case, control = result.case, result.control
    return {
        "id": case.id,
        "kind": case.kind,
        "capability": case.capability,
        "group": case.group,
        "trade": case.trade,
        "severity": case.severity,
        "lang": case.lang,
        "passed": result.passed,
        "reason": result.reason,
        "order_gap": result.order_gap,
        "control": control and {"blind": control.blind, "sighted": control.sighted, "blind_ratio": control.blind_ratio},
        "readings": [_reading_json(reading) for reading in result.readings],
        "seconds": result.seconds,
    }


def _comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "model_version": comparison.baseline.model_version,
        "same_suite": comparison.same_suite,
        "compared": comparison.compared,
        "broken": [result.case.id for result in comparison.broken],
        "mended": [result.case.id for result in comparison.mended],
        "groups": [
            {"group": change.group, "broken": change.broken, "mended": change.mended, "p_value": change.p_value}
            for change in comparison.changes
        ],
        "falls": [change.group for change in comparison.falls],
    }


def to_json(runs: Sequence[RunResult], comparisons: Mapping[str, Comparison] | None = None) -> list[dict[str, Any]]:
    """comparisons: suite name → the run against its baseline, where there is one."""
    found = comparisons or {}
    return [
        {
            "suite": run.suite.name,
            "suite_sha256": run.suite.sha256,
            "model_version": run.model_version,
            "passed": run.passed,
            "complaints": run.complaints,
            "pass_ratio": run.pass_ratio,
            "pair_accuracy": run.pair_accuracy,
            "both_same_ratio": run.both_same_ratio,
            "seconds": run.seconds,
            "baseline": _comparison_json(found[run.suite.name]) if run.suite.name in found else None,
            "groups": [
                {"group": group.name, "passed": group.passed, "total": group.total, "fail_under": group.floor}
                for group in run.groups
            ],
            "cases": [_case_json(result) for result in run.results],
        }
        for run in runs
    ]


def _xml(text: str) -> str:
    """Without the characters that XML 1.0 has no way to write."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def reading_line(reading: Reading) -> str:
    expected = f", expected {reading.expected}" if reading.expected else ""
    return f"{reading.name} {reading.text!r}: {reading.label} {reading.confidence:.3f}{expected}"


def to_junit(runs: Sequence[RunResult]) -> str:
    """JUnit XML as CI servers read it: a testsuite a run, a testcase a case; what each text was read as is in it."""
    root = ET.Element("testsuites")
    for run in runs:
        failures = sum(not result.passed for result in run.results)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_xml(run.suite.name),
            tests=str(len(run.results)),
            failures=str(failures),
            errors="0",
            time=f"{run.seconds:.3f}",
        )
        for result in run.results:
            name = _xml(f"{run.suite.name}.{result.case.group}")
            case = ET.SubElement(
                suite, "testcase", classname=name, name=_xml(result.case.id), time=f"{result.seconds:.4f}"
            )
            lines = _xml("\n".join(reading_line(reading) for reading in result.readings))
            if result.passed:
                ET.SubElement(case, "system-out").text = lines
            else:
                ET.SubElement(case, "failure", message=_xml(result.reason)).text = lines
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
