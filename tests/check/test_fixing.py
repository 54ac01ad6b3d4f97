"""Fixes are checked again before they are believed."""

from __future__ import annotations

import ast
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_guard import rules
from inplace_guard.check import FileReport, check_paths
from inplace_guard.check.file import check_bytes
from inplace_guard.check.fixing import FixedFile, fix_bytes, fix_result, unified_diff, write_fixed
from inplace_guard.config import Settings
from inplace_guard.findings import Finding
from inplace_guard.fixes import FixResult, fix_source
from inplace_guard.fixes.tree import last_name

from ..fixes.generated import program

HEAD = "import torch\nfrom torch import nn\n\n\n"
BLOCK = """\
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.proj = nn.Linear(4, 4)

    def forward(self, h):
        h += self.proj(self.norm(h)){}
        return h
"""
BAD = HEAD + BLOCK.format("")
GOOD = BAD.replace("h += self", "h = h + self")


def fixed(source: str, *, unsafe: bool = False, settings: Settings | None = None) -> FixedFile:
    return fix_bytes(source.encode(), "net.py", settings or Settings(), unsafe=unsafe)


def test_fixed_and_gone() -> None:
    file = fixed(BAD)
    assert file.after.decode() == GOOD
    assert [finding.code for finding in file.fixed] == ["IPG101"]
    assert file.report.findings == []
    assert len(file.original.findings) == 1
    assert fixed(GOOD).changed is False


def test_what_noqa_hides_stays() -> None:
    for comment in ("  # noqa", "  # noqa: IPG101", "  # NOQA:IPG1"):
        assert not fixed(HEAD + BLOCK.format(comment)).changed
    assert fixed(HEAD + BLOCK.format("  # noqa: IPG102")).changed
    assert not fixed("# flake8: noqa\n" + BAD).changed


def test_what_the_settings_ignore_stays() -> None:
    assert not fixed(BAD, settings=Settings(ignore=("IPG101",))).changed
    assert not fixed(BAD, settings=Settings(per_file_ignores={"net.py": ("IPG1",)})).changed


def test_one_finding_behind_the_other() -> None:
    """The second write is found when the first one no longer hides it."""
    source = HEAD + (
        "def warp(x):\n    p = torch.relu(x)\n    a, b = p[..., :2], p[..., 2:]\n"
        "    a /= 2.0\n    b /= 3.0\n    return a.exp(), b.exp()\n"
        "w = torch.ones(4, requires_grad=True)\nsum(t.sum() for t in warp(w * 1)).backward()\n"
    )
    file = fixed(source)
    assert file.report.findings == []
    assert "    a = a / 2.0\n    b = b / 3.0\n" in file.after.decode()


def test_a_fix_that_does_not_help_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def useless(source: bytes, findings: list[object], *, unsafe: bool = False, checking: object = None) -> FixResult:
        return FixResult(source.replace(b"h += self", b"h  += self", 1), tuple(findings))  # type: ignore[arg-type]

    monkeypatch.setattr("inplace_guard.fixes.fix_source", useless)
    file = fixed(BAD)
    assert not file.changed
    assert file.fixed == []
    assert len(file.report.findings) == 1


def test_no_wrong_numbers_for_an_error() -> None:
    """Without checkpointing PyTorch would check the version of the weight, and raise."""
    source = HEAD + (
        "from torch.utils.checkpoint import checkpoint\n\nlin = nn.Linear(3, 3)\n"
        "y = checkpoint(lin, torch.randn(2, 3, requires_grad=True), use_reentrant=False)\n"
        "with torch.no_grad():\n    lin.weight.mul_(0.9)\ny.pow(2).sum().backward()\n"
    )
    file = fixed(source, unsafe=True)
    assert [finding.code for finding in file.original.findings] == ["IPG209"]
    assert not file.changed
    assert file.fixed == []
    assert [finding.code for finding in file.report.findings] == ["IPG209"]


def many(number: int) -> str:
    """That many functions with a finding each; the writes are in lines 7, 13, 19 …"""
    function = (
        "def f{}(w):\n    y = (w.clone().requires_grad_() * 2).exp()\n    y.add_(1)\n    y.sum().backward()\n\n\n"
    )
    return HEAD + "".join(function.format(index) for index in range(number))


def test_one_fix_that_does_harm_does_not_keep_the_others_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def harmful(source: bytes, findings: list[Finding], *, unsafe: bool = False, checking: object = None) -> FixResult:
        result = fix_source(source, findings, unsafe=unsafe)
        if not any(found.write.line == 19 for found in findings):
            return result
        return replace(result, source=result.source.replace(b"exp()", b"exp(", 1))

    monkeypatch.setattr("inplace_guard.fixes.fix_source", harmful)
    file = fixed(many(9))
    assert len(file.fixed) == 8
    assert [finding.write.line for finding in file.report.findings] == [19]


def test_a_bound_on_finding_what_does_harm_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def harmful(source: bytes, findings: list[Finding], *, unsafe: bool = False, checking: object = None) -> FixResult:
        result = fix_source(source, findings, unsafe=unsafe)
        if not any(found.write.line == 19 for found in findings):
            return result
        return replace(result, source=result.source.replace(b"exp()", b"exp(", 1))

    monkeypatch.setattr("inplace_guard.fixes.fix_source", harmful)
    monkeypatch.setattr("inplace_guard.check.fixing._MOST_HALVED", 2 * len(many(9)))
    file = fixed(many(9))
    assert 0 < len(file.fixed) < 8
    assert len(file.fixed) + len(file.report.findings) == 9
    (problem,) = file.report.problems
    assert problem.message == "some fixes do harm, and the file is too long to find out which; fix it again to go on"


def test_many_findings_are_fixed_in_a_time_that_grows_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted is how often a name is looked at to find who calls a function."""
    looked = Counter[int]()

    def names(number: int) -> int:
        def counted(node: ast.AST) -> str:
            looked[number] += 1
            return last_name(node)

        monkeypatch.setattr("inplace_guard.fixes.callers.last_name", counted)
        blocks = [BLOCK.format("").replace("Block", f"Block{index}") for index in range(number)]
        assert len(fixed(HEAD + "\n\n".join(blocks)).fixed) == number
        return looked[number]

    assert 0 < names(40) < 5 * names(10)


def test_many_findings_are_described_by_few_analyses(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    analysed: list[int] = []

    def counted(*arguments: Any) -> FileReport:
        analysed.append(1)
        return check_bytes(*arguments)

    monkeypatch.setattr("inplace_guard.check.fixing.check_bytes", counted)
    (project / "net.py").write_text(many(200))
    result = check_paths(["."], Settings(cache=False), fixes=True)
    assert len(result.findings) == 200
    assert all(finding.fix and finding.fix["applicability"] == "safe" for finding in result.findings)
    assert len(analysed) < 4


def test_a_bound_on_trying_is_told(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    (project / "net.py").write_text(many(1).replace("y.add_(1)", "y.data.add_(1)"))
    monkeypatch.setattr("inplace_guard.check.fixing._MOST_TRIED", -1)
    result = check_paths(["."], Settings(cache=False), fixes=True)
    (finding,) = result.findings
    assert finding.fix is not None
    assert finding.fix["reason"].endswith("not tried: the file is too long for all of its findings")


def test_a_fault_of_ours_leaves_the_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(source: bytes, findings: list[object], *, unsafe: bool = False, checking: object = None) -> FixResult:
        raise KeyError("nothing\nhere")

    monkeypatch.setattr("inplace_guard.fixes.fix_source", crash)
    file = fixed(BAD)
    assert not file.changed
    (problem,) = file.report.problems
    assert problem.internal
    assert "internal error while fixing (KeyError: 'nothing\\nhere')" in problem.message


def test_a_fault_of_ours_takes_nothing_from_the_finding(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(source: bytes, findings: list[object], *, checking: object) -> list[object]:
        raise KeyError("nothing")

    monkeypatch.setattr("inplace_guard.fixes.annotate", crash)
    (project / "bad.py").write_text(BAD)
    result = check_paths(["."], Settings(cache=False), fixes=True)
    (finding,) = result.findings
    assert finding.fix == {"applicability": "none", "reason": "internal error (KeyError: 'nothing')"}


def test_the_reason_is_in_the_finding() -> None:
    source = BAD + "\n\nnet = nn.Sequential(nn.Linear(4, 4), Block())\nh = torch.ones(2, 4)\nBlock()(h)\nprint(h)\n"
    (finding,) = fixed(source).report.findings
    assert finding.fix is not None
    assert finding.fix["applicability"] == "unsafe"
    assert "the write stays in place" in finding.fix["reason"]
    assert finding.fix["description"] == "let line 12 save a copy of `h`"


def test_notebooks_are_left(project: Path) -> None:
    cells = [{"cell_type": "code", "source": BAD}]
    data = json.dumps({"cells": cells}).encode()
    file = fix_bytes(data, "net.ipynb", Settings(), unsafe=True)
    assert file.after == data
    (finding,) = file.report.findings
    assert finding.fix == {"applicability": "none", "reason": "notebooks are not rewritten"}


def test_files_on_disk(project: Path) -> None:
    (project / "bad.py").write_text(BAD)
    (project / "good.py").write_text(GOOD)
    settings = Settings(cache=False)
    result = check_paths(["."], settings)
    files = fix_result(result, settings, unsafe=False)
    assert [file.path for file in files] == ["bad.py"]
    assert (project / "bad.py").read_text() == BAD
    assert write_fixed(files, result) == files
    assert (project / "bad.py").read_text() == GOOD
    assert result.findings == []


def test_a_file_that_cannot_be_written_keeps_its_findings(project: Path) -> None:
    (project / "bad.py").write_text(BAD)
    settings = Settings(cache=False)
    result = check_paths(["."], settings)
    files = fix_result(result, settings, unsafe=False)
    (project / "bad.py").chmod(0o444)
    assert write_fixed(files, result) == []
    assert [str(problem) for problem in result.all_problems] == ["bad.py: not fixed: it is read-only"]
    assert len(result.findings) == 1


def test_described(project: Path) -> None:
    (project / "bad.py").write_text(BAD)
    result = check_paths(["."], Settings(cache=False), fixes=True)
    (finding,) = result.findings
    assert finding.fix is not None
    assert finding.fix["applicability"] == "safe"
    assert finding.fix["reason"] is None
    assert finding.fix["edits"] == [{"line": 12, "column": 11, "end_line": 12, "end_column": 13, "content": "= h +"}]


def test_diff() -> None:
    assert unified_diff(fixed(BAD))[0].splitlines()[:2] == ["--- net.py", "+++ net.py"]
    file = fixed(BAD.removesuffix("\n").replace("\n", "\r\n"))
    assert unified_diff(file)[0].endswith(
        "-        h += self.proj(self.norm(h))\r\n+        h = h + self.proj(self.norm(h))\r\n"
        "         return h\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize("code", [code for code, rule in rules.CATALOGUE.items() if rule.bad and rule.static])
def test_the_programs_of_the_rules(code: str) -> None:
    """Fixing twice is fixing once, and what is fixed parses and has fewer findings."""
    source = rules.CATALOGUE[code].bad.encode()
    settings = Settings().with_options(select=["IPG", code])
    for unsafe in (False, True):
        file = fix_bytes(source, "bad.py", settings, unsafe=unsafe)
        assert not file.report.problems
        assert fix_bytes(file.after, "bad.py", settings, unsafe=unsafe).after == file.after
        if file.changed:
            compile(file.after, "bad.py", "exec")
            assert len(file.report.findings) < len(file.original.findings)
        assert file.changed == rules.CATALOGUE[code].fixable or not unsafe


@given(random=st.randoms(use_true_random=False), unsafe=st.booleans())
@settings(max_examples=25)
def test_fixing_twice_is_fixing_once(random: Random, unsafe: bool) -> None:
    source = program(random) + "\nw = torch.ones(3, requires_grad=True)\nmain(True, w * 1, w * 2)[0].sum().backward()\n"
    once = fix_bytes(source.encode(), "case.py", Settings(), unsafe=unsafe)
    assert fix_bytes(once.after, "case.py", Settings(), unsafe=unsafe).after == once.after
