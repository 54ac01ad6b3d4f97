"""Where the linter and the guard both report, they name the same line: over the labelled cases."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_guard.analysis import analyze
from inplace_guard.runtime.guard import guard

CORPUS = Path(__file__).parents[1] / "corpus"
CASES = sorted(label.parent for label in CORPUS.glob("*/*/label.json"))
# each of two writes breaks it, and each half reports another one
TWO_WRITES = {"k042-heavy-ball-keeps-grad-as-buffer"}
HAZARDS = [case for case in CASES if json.loads((case / "label.json").read_text())["outcome"] != "ok"]


def by_linter(path: Path) -> set[int]:
    findings = analyze(path.read_text(), str(path)).findings
    return {finding.write.line for finding in findings if not finding.code.startswith("IPG9")}


def by_guard(path: Path) -> set[int]:
    spec = importlib.util.spec_from_file_location("case_before", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    with guard() as watch, warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()):
            spec.loader.exec_module(module)
            module.main()
    return {finding.write.line for finding in watch.findings if finding.write.path == str(path)}


def check(case: Path) -> bool:
    """False where one of them reports nothing."""
    path = case / "before.py"
    static = by_linter(path)
    torch.manual_seed(0)
    runtime = by_guard(path) if static else set()
    torch.set_grad_enabled(True)
    if not static or not runtime or case.name in TWO_WRITES:
        return False
    label = json.loads((case / "label.json").read_text())
    runs_at = label.get("write_runs_at_lines") or []
    assert static & runtime or (runtime & {*runs_at} and static & {*label["hazard_lines"]}), (static, runtime)
    return True


@pytest.mark.parametrize("case", HAZARDS[::12], ids=lambda case: case.name)
def test_both_name_the_same_line(case: Path) -> None:
    check(case)


@pytest.mark.slow
def test_both_name_the_same_line_in_all_cases() -> None:
    different = []
    both = 0
    for case in HAZARDS:
        try:
            both += check(case)
        except AssertionError as error:
            different.append((case.name, str(error)))
    assert different == []
    assert both > len(HAZARDS) / 2
