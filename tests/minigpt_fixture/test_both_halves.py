"""The linter and the guard name the lines that the registry names, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import minigpt_fixture
from minigpt_fixture.registry import BREAKS, Break

ROOT = Path(__file__).parents[2]
PACKAGE = Path(minigpt_fixture.__file__).parent


def test_linter_reports_every_hazard_line_and_nothing_else() -> None:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "IPG", str(PACKAGE)]
    result = subprocess.run(command, capture_output=True, text=True)
    matches = re.findall(r"^.*?([^/\\\s]+\.py):(\d+):\d+: (IPG\d+)", result.stdout, flags=re.MULTILINE)
    found = {(name, int(line), code) for name, line, code in matches}
    assert found == {(b.file.name, line, b.code) for b in BREAKS.values() if b.code for line in b.lines}
    assert len(result.stdout.splitlines()) == len(found)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[dict]]:
    report = tmp_path_factory.mktemp("guarded") / "report.json"
    suite = str(ROOT / "examples" / "test_breaks.py")
    command = [sys.executable, "-m", "pytest", "-p", "inplace_guard", "-rA", "--tb=no", "-p", "no:cacheprovider"]
    command += [f"--inplace-guard-report={report}", suite]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return result.stdout, json.loads(report.read_text())["findings"]


@pytest.mark.parametrize("entry", BREAKS.values(), ids=lambda b: b.name)
def test_guard_names_every_hazard_line(entry: Break, guarded: tuple[str, list[dict]]) -> None:
    printed, findings = guarded
    test = "test_" + entry.name.replace("-", "_")
    assert re.search(rf"^(PASSED|FAILED) \S*::{test}\b", printed, flags=re.MULTILINE)[1] == (
        "PASSED" if entry.outcome == "safe" else "FAILED"
    )
    writes = {(Path(f["write"]["path"]).name, f["write"]["line"]) for f in findings if f["test"].endswith(f"::{test}")}
    assert writes == (set() if entry.outcome == "safe" else {(entry.file.name, line) for line in entry.lines})


def test_guard_passes_the_control(guarded: tuple[str, list[dict]]) -> None:
    printed, findings = guarded
    assert re.search(r"^PASSED \S*::test_control\b", printed, flags=re.MULTILINE)
    assert not [f for f in findings if f["test"].endswith("::test_control")]


def test_guard_names_all_three_sites_of_the_classic(guarded: tuple[str, list[dict]]) -> None:
    entry = BREAKS["residual-add"]
    found = [f for f in guarded[1] if f["test"].endswith("::test_residual_add")]
    for finding in found:
        assert finding["saved"]["line"] == finding["write"]["line"]
        assert finding["saved"]["op"] == "layer_norm"
        assert finding["write"]["source"] in entry.writes
        assert finding["needed"]["source"].startswith("loss.backward()")
