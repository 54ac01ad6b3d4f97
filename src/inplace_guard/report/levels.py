"""How serious a finding is, in the words of compilers, SARIF and GitHub."""

from __future__ import annotations

from typing import Literal

from inplace_guard.findings import Finding

__all__ = ["Level", "level_of", "level_of_code"]

Level = Literal["error", "warning", "note"]


def level_of(finding: Finding) -> Level:
    level = level_of_code(finding.code)
    return "warning" if level == "error" and finding.certainty == "likely" else level


def level_of_code(code: str) -> Level:
    """What a rule's findings are as a rule: opinions are notes."""
    return "note" if code.startswith("IPG9") else "error"
