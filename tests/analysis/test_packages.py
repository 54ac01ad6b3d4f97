"""Hazards that no single file shows: packages whose files are followed, each with its correct twin."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flake8.main import cli

from inplace_guard.check import check_paths
from inplace_guard.config import Settings

PACKAGES = Path(__file__).parents[1] / "corpus" / "packages"
RAISES = r"modified by an inplace operation|a second time|view and is being modified inplace|^a leaf Variable"
Lines = set[tuple[str, int]]


@dataclass(frozen=True)
class Case:
    folder: Path
    label: dict[str, Any]

    def lines(self) -> Lines:
        return {(path, line) for path, lines in self.label["hazard_lines"].items() for line in lines}


CASES = [Case(path.parent, json.loads(path.read_text())) for path in sorted(PACKAGES.glob("*/case.json"))]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)


def by_check(folder: Path, monkeypatch: pytest.MonkeyPatch, *, cross_file: bool = True) -> Lines:
    monkeypatch.chdir(folder)
    result = check_paths(["."], Settings(root=folder, cache=False, cross_file=cross_file, jobs=1))
    assert not result.all_problems
    return {(finding.write.path, finding.write.line) for finding in result.findings}


def by_flake8(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str
) -> Lines:
    monkeypatch.chdir(folder)
    cli.main(["--isolated", "--select", "IPG", "--jobs", "1", *options, "."])
    rows = [line.split(":") for line in capsys.readouterr().out.splitlines()]
    return {(row[0].removeprefix("./"), int(row[1])) for row in rows}


@each_case
def test_check_reports_the_line(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_check(case.folder / "before", monkeypatch) == case.lines()


@each_case
def test_check_is_quiet_on_the_twin(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_check(case.folder / "after", monkeypatch) == set()


@each_case
def test_flake8_reports_the_same(
    case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert by_flake8(case.folder / "before", monkeypatch, capsys) == case.lines()
    assert by_flake8(case.folder / "after", monkeypatch, capsys) == set()


def run(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What main() of a script returns; the modules that it imports are forgotten afterwards."""
    roots = [folder / script, folder / "src" / "any"]
    monkeypatch.setattr(sys, "path", [*(str(root.parent) for root in roots), *sys.path])
    before = set(sys.modules)
    try:
        main: Callable[[], dict[str, Any]] = runpy.run_path(str(folder / script))["main"]
        return main()
    finally:
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


@each_case
def test_labels_are_what_pytorch_does(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    right = run(case.folder / "after", case.label["run"], monkeypatch)
    if case.label["outcome"] == "raises":
        with pytest.raises(RuntimeError, match=RAISES):
            run(case.folder / "before", case.label["run"], monkeypatch)
        return
    given = run(case.folder / "before", case.label["run"], monkeypatch)
    equal = all(same(given[name], tensor) for name, tensor in right.items())
    assert equal is (case.label["outcome"] == "ok")


def same(a: Any, b: Any) -> bool:
    return a is b if a is None or b is None else bool(a.shape == b.shape and a.allclose(b))
