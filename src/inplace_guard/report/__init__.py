"""Findings in the shapes that people and their tools read. What is imported is what is used."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_guard.findings import Finding
from inplace_guard.problems import Problem
from inplace_guard.report import machine

__all__ = ["render"]


def render(format: str, findings: Sequence[Finding], problems: Sequence[Problem] = ()) -> str:
    """The document of one machine format (`text` is `report.text.frame`), ending in a line end unless empty.

    Lines of `concise` are of the findings alone; the other formats hold the problems too.
    """
    if format == "concise":
        lines = [machine.concise(finding) for finding in findings]
    elif format == "github":
        lines = list(machine.github(findings, problems))
    elif format == "json":
        lines = [machine.to_json(findings, problems)]
    elif format == "gitlab":
        lines = [machine.gitlab(findings, problems)]
    elif format == "sarif":
        from inplace_guard.report.sarif import sarif

        lines = [sarif(findings, problems)]
    else:
        raise ValueError(f"unknown format: {format}")
    return "".join(f"{line}\n" for line in lines)
