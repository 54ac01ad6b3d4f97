"""Packages by an author who had not seen the code: the write is reported, or named where the call to it is reported."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inplace_guard.check import check_paths
from inplace_guard.config import Settings
from inplace_guard.findings import Finding

PACKAGES = Path(__file__).parents[1] / "corpus" / "blind_packages"


@dataclass(frozen=True)
class Case:
    folder: Path
    label: dict[str, Any]

    def names(self, finding: Finding) -> bool:
        """Whether a line of the label is where the finding stands, or what it calls the write."""
        lines = {f"{path}:{line}" for path, lines in self.label["hazard_lines"].items() for line in lines}
        return f"{finding.write.path}:{finding.write.line}" in lines or any(f"{x})" in finding.message for x in lines)


CASES = [Case(path.parent, json.loads(path.read_text())) for path in sorted(PACKAGES.glob("*/case.json"))]
HAZARDS = [case for case in CASES if case.label["outcome"] != "ok"]
QUIET = [case.folder / "before" for case in CASES if case.label["outcome"] == "ok"]
QUIET += [case.folder / "after" for case in HAZARDS]


def found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.chdir(folder)
    result = check_paths(["."], Settings(root=folder, cache=False, jobs=1))
    assert not result.all_problems
    return result.findings


@pytest.mark.parametrize("case", HAZARDS, ids=lambda case: case.folder.name)
def test_the_write_is_named_and_no_other(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = found(case.folder / "before", monkeypatch)
    assert findings
    assert [finding for finding in findings if not case.names(finding)] == []


@pytest.mark.parametrize("folder", QUIET, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_safe_packages_are_not_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(folder, monkeypatch) == []


def printed(
    folder: Path, script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str | RuntimeError:
    """What a script prints, or the error; the modules that it imports are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", [str(folder), str(folder / "src"), *sys.path])
    before = set(sys.modules)
    capsys.readouterr()
    try:
        runpy.run_path(str(folder / script), run_name="__main__")
        return capsys.readouterr().out
    except RuntimeError as error:
        return error
    finally:
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_labels_are_what_pytorch_does(
    case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = printed(case.folder / "before", case.label["run"], monkeypatch, capsys)
    if case.label["outcome"] == "raises":
        assert isinstance(given, RuntimeError)
        assert "inplace operation" in str(given)
    else:
        assert isinstance(given, str)
    if case.label["outcome"] != "ok":
        right = printed(case.folder / "after", case.label["run"], monkeypatch, capsys)
        assert isinstance(right, str)
        assert given != right
