"""Fixtures that several parts of the suite share."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from hypothesis import settings

from inplace_guard.analysis import Analysis
from inplace_guard.analysis.project import Project
from inplace_guard.findings import Finding, Site

pytest_plugins = ["minigpt_fixture.pytest_fixtures", "pytester"]

os.environ.pop("FORCE_COLOR", None)  # the tests compare plain text

# A busy machine is no failure. Derandomised: a failure on CI is one that everybody sees.
settings.register_profile("inplace-guard", deadline=None, derandomize=True)
settings.load_profile("inplace-guard")


@pytest.fixture
def python_imports() -> Callable[[str], set[str]]:
    """Imports a module in a new interpreter and tells the top-level packages that came with it."""

    def run(module: str) -> set[str]:
        code = f"import sys; import {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
        return set(
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        )

    return run


class MarkedLines:
    """Reports IPG101 at each line that says HAZARD, and fails on a file that says CRASH."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def __call__(
        self, source: str, path: str, *, tree: ast.Module, codes: Collection[str], project: Project | None = None
    ) -> Analysis:
        self.paths.append(path)
        if "CRASH" in source:
            raise KeyError("nothing\nhere")
        return Analysis(
            [
                Finding(
                    code="IPG101",
                    rule="saved-tensor-overwritten",
                    source="static",
                    certainty="certain",
                    message="overwritten",
                    write=Site(path, number, line.index("h.") + 1, "add_", source=line.strip()),
                    saved=Site(path, number - 1, 1),
                )
                for number, line in enumerate(source.split("\n"), 1)
                if "HAZARD" in line and "IPG101" in codes
            ]
        )


@pytest.fixture
def marked_lines(monkeypatch: pytest.MonkeyPatch) -> MarkedLines:
    """A stand-in for the analysis, for tests that are about files, settings and reports alone."""
    marked = MarkedLines()
    monkeypatch.setattr("inplace_guard.check.file.analyze", marked)
    return marked


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
