"""The findings of a whole run: gathered over tests and processes, counted by rule and site, written as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from inplace_guard.findings import SCHEMA, Finding

__all__ = ["Collected"]


class Collected:
    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(self, test: str, findings: Iterable[Finding]) -> None:
        """Once each: a test that is run again may find the same again."""
        for finding in findings:
            own = replace(finding, test=test)
            if own not in self.findings:
                self.findings.append(own)

    def document(self) -> str:
        data: dict[str, Any] = {"schema": SCHEMA, "findings": [finding.to_json() for finding in self.findings]}
        return json.dumps(data, indent=2) + "\n"

    def write(self, path: Path) -> None:
        path.write_text(self.document(), encoding="utf-8")

    def by_site(self) -> list[tuple[Finding, list[str]]]:
        """Each rule and site once, with the tests that met it."""
        groups: dict[tuple[str, str, int], tuple[Finding, dict[str, None]]] = {}
        for finding in self.findings:
            key = (finding.code, finding.write.path, finding.write.line)
            _, tests = groups.setdefault(key, (finding, {}))
            tests[finding.test or ""] = None
        return [(finding, list(tests)) for _, (finding, tests) in sorted(groups.items(), key=lambda item: item[0])]
