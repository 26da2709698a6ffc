"""A run's results as JSON and as JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from model.checks.runner import CaseResult, RunResult


def _case_json(result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.case.id,
        "kind": result.case.kind,
        "passed": result.passed,
        "reason": result.reason,
        "order_gap": result.order_gap,
        "readings": [
            {"text": r.text, "expected": r.expected, "label": r.label, "confidence": r.confidence}
            for r in result.readings
        ],
    }


def to_json(runs: list[RunResult]) -> list[dict[str, Any]]:
    return [
        {
            "suite": run.suite.name,
            "suite_sha256": run.suite.sha256,
            "model_version": run.model_version,
            "passed": run.passed,
            "pass_ratio": run.pass_ratio,
            "fail_under": run.suite.fail_under,
            "pair_accuracy": run.pair_accuracy,
            "both_same_ratio": run.both_same_ratio,
            "cases": [_case_json(result) for result in run.results],
        }
        for run in runs
    ]


def to_junit(runs: list[RunResult]) -> str:
    """JUnit XML as CI servers read it: a testsuite a run, a testcase a case."""
    root = ET.Element("testsuites")
    for run in runs:
        failures = sum(not result.passed for result in run.results)
        suite = ET.SubElement(
            root, "testsuite", name=run.suite.name, tests=str(len(run.results)), failures=str(failures), errors="0"
        )
        for result in run.results:
            case = ET.SubElement(suite, "testcase", classname=run.suite.name, name=result.case.id)
            if not result.passed:
                failure = ET.SubElement(case, "failure", message=result.reason)
                failure.text = "\n".join(
                    f"{r.text!r}: {r.label} {r.confidence:.3f}, expected {r.expected}" for r in result.readings
                )
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
