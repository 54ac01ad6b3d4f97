"""What docs/architecture.md says of the code is so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_guard.analysis import analyze

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "inplace_guard"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
EXCERPT = re.compile(r'^( *)```python title="([^"]+)"\n(.*?)^ *```$', re.DOTALL | re.MULTILINE)
PATH = re.compile(r"`((?:src|tests|tools|docs|ops|rules|runtime|analysis)/[\w./-]*)`")

# Which parts of the package a part may import. What is not listed (the adapters) may import everything.
MAY_IMPORT: dict[str, set[str]] = {
    "findings": set(),
    "rules": set(),
    "ops": set(),
    "analysis": {"findings", "rules", "ops"},
    "runtime": {"findings", "rules", "ops", "report"},
    "diagnose": {"findings", "rules", "ops", "analysis", "check"},
    "report": {"findings", "rules", "problems", "diagnose"},
    "fixes": {"findings", "rules", "ops"},
    "check": {"findings", "rules", "ops", "analysis", "fixes", "config", "problems"},
}


@pytest.mark.parametrize(("indent", "path", "code"), EXCERPT.findall(PAGE))
def test_excerpts_are_in_the_code(indent: str, path: str, code: str) -> None:
    lines = [line.removeprefix(indent) for line in code.splitlines()]
    assert "\n".join(lines) in (ROOT / path).read_text(encoding="utf-8")


def test_there_are_excerpts_and_paths() -> None:
    assert len(EXCERPT.findall(PAGE)) == 2
    assert len(PATH.findall(PAGE)) > 10


def test_the_tests_of_one_rule_can_be_chosen() -> None:
    """The command of the worked example finds something in each part of tests/rules."""
    command = re.search(r"^ *\$ pytest (tests/rules .*)$", PAGE, re.MULTILINE)
    assert command is not None
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *command[1].split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for module in ("test_catalogue", "test_programs", "test_safe_when"):
        assert f"tests/rules/{module}.py::" in listed


@pytest.mark.parametrize("path", sorted(set(PATH.findall(PAGE))))
def test_paths_exist(path: str) -> None:
    assert (ROOT / path).exists() or (SOURCE / path).exists()


def test_modules_of_the_table_exist() -> None:
    table = PAGE[PAGE.index("| Module of `analysis/`") :].partition("\n\n")[0]
    names = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert {path.stem for path in (SOURCE / "analysis").glob("[!_]*.py")} == set(names)


def test_modules_of_the_guard_exist() -> None:
    section = PAGE[PAGE.index("## runtime") : PAGE.index("## Where a rule lives")]
    names = (
        "postmortem graphwalk bypass exports functions savedhooks gradients silent overlapping aliases "
        "capture journal explain guard patches frozen tape script"
    )
    for name in names.split():
        assert f"`{name}`" in section
        assert (SOURCE / "runtime" / f"{name}.py").is_file() or (SOURCE / "runtime" / name / "__init__.py").is_file()


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_run_one_way(part: str) -> None:
    paths = [SOURCE / f"{part}.py"] if (SOURCE / f"{part}.py").is_file() else (SOURCE / part).rglob("*.py")
    for path in paths:
        if "testing" in path.parts:  # the pytest plugin, an adapter
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "inplace_guard":
                inner = (node.module or "").split(".")[1:2] or [alias.name for alias in node.names]
                others = {name for name in inner if not name.startswith("__")} - {part}
                assert others <= MAY_IMPORT[part], f"{path.relative_to(ROOT)}:{node.lineno}"


@pytest.mark.parametrize(
    "module", ["inplace_guard.analysis.entries", "inplace_guard.cli", "inplace_guard.flake8_plugin"]
)
def test_only_the_guard_needs_torch(python_imports, module: str) -> None:  # type: ignore[no-untyped-def]
    assert "torch" not in python_imports(module)


def test_the_story_of_one_finding() -> None:
    """`h += self.proj(self.norm(h))` is reported if the result leaves forward, and not if nobody asks for it."""
    program = """
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.proj = nn.LayerNorm(4), nn.Linear(4, 4)

    def forward(self, h):
        h += self.proj(self.norm(h))
        return {}
"""
    assert [finding.code for finding in analyze(program.format("h")).findings] == ["IPG101"]
    assert analyze(program.format("None")).findings == []
