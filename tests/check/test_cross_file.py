"""Imports are followed on the command line: the cache, jobs, settings, fixes, and flake8's switch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flake8.main import cli as flake8

from inplace_guard.check import check_paths, check_stdin, run
from inplace_guard.cli.check import check
from inplace_guard.config import ConfigError, Settings, load

WRITES = "def accumulate(x, y):\n    x.add_(y)\n    return x\n"
COPIES = "def accumulate(x, y):\n    return x + y\n"
BLOCK = """\
import torch
from torch import nn

from pkg.helpers import accumulate


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        h = self.proj(x)
        y = self.norm(h)
        accumulate(h, y)
        return h
"""


@pytest.fixture
def package(project: Path) -> Path:
    folder = project / "pkg"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "helpers.py").write_text(WRITES)
    (folder / "block.py").write_text(BLOCK)
    return folder


def found(**settings: Any) -> list[tuple[str, int]]:
    result = check_paths(["."], Settings(**settings))
    assert not result.all_problems
    return [(finding.write.path, finding.write.line) for finding in result.findings]


def from_cache(**settings: Any) -> dict[str, bool]:
    return {report.path: report.cached for report in check_paths(["."], Settings(**settings)).files}


# The cache


def test_a_changed_helper_is_a_reason_to_look_at_its_callers_again(package: Path) -> None:
    assert found() == [("pkg/block.py", 16)]
    (package / "helpers.py").write_text(COPIES)
    assert found() == []
    (package / "helpers.py").write_text(WRITES)
    assert found() == [("pkg/block.py", 16)]


def test_an_unchanged_project_comes_from_the_cache(package: Path) -> None:
    first = check_paths(["."], Settings())
    second = check_paths(["."], Settings())
    assert second.findings == first.findings
    assert [report.path for report in second.files if report.cached] == [report.path for report in first.files]


def test_touching_a_file_is_no_change(package: Path) -> None:
    found()
    os.utime(package / "helpers.py", (1, 1))
    (package / "other.py").write_text("import torch\n")
    assert from_cache()["pkg/block.py"]


def test_a_helper_that_appears_or_goes_is_a_change(package: Path) -> None:
    (package / "helpers.py").unlink()
    assert found() == []
    (package / "helpers.py").write_text(WRITES)
    assert found() == [("pkg/block.py", 16)]
    (package / "helpers.py").unlink()
    assert found() == []


def test_a_change_two_imports_away(package: Path) -> None:
    (package / "helpers.py").write_text("from .deep import accumulate\n")
    (package / "deep.py").write_text(COPIES)
    assert found() == []
    (package / "deep.py").write_text(WRITES)
    assert found() == [("pkg/block.py", 16)]


def test_a_new_init_that_says_otherwise(package: Path) -> None:
    (package / "block.py").write_text(BLOCK.replace("from pkg.helpers import", "from pkg import"))
    assert found() == []
    (package / "__init__.py").write_text("from .helpers import accumulate\n")
    assert found() == [("pkg/block.py", 16)]


def test_the_cache_moves_with_the_project(package: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found()
    moved = project.parent / "moved"
    project.rename(moved)
    monkeypatch.chdir(moved)
    result = check_paths(["."], Settings(root=moved))
    assert all(report.cached for report in result.files)
    (finding,) = result.findings
    assert "at pkg/helpers.py:2)" in finding.message


@pytest.mark.parametrize(
    ("part", "value"),
    [("graph", [99]), ("graph", [-1]), ("graph", "x"), ("entries", [99]), ("entries", 3), ("entries", [None])],
)
def test_a_cache_whose_numbers_lead_nowhere(package: Path, project: Path, part: str, value: object) -> None:
    expected = found()
    (file,) = (project / ".inplace_guard_cache").glob("*.json")
    data = json.loads(file.read_text())
    if part == "graph":
        data["needs"][0][2] = value
    else:
        for entry in data["files"].values():
            entry["needs"] = value
    file.write_text(json.dumps(data))
    assert found() == expected
    (package / "helpers.py").write_text("def (")
    assert found() != expected
    assert all(report.cached for report in check_paths(["."], Settings(root=project)).files if not report.problems)


def test_equal_files_in_other_packages_have_entries_of_their_own(package: Path, project: Path) -> None:
    (project / "two" / "pkg").mkdir(parents=True)
    for name, text in (("__init__", ""), ("helpers", COPIES), ("block", BLOCK)):
        (project / "two" / "pkg" / f"{name}.py").write_text(text)
    for _ in range(2):
        assert found() == [("pkg/block.py", 16)]


@pytest.mark.parametrize("damage", [{"needs": []}, {"needs": [[1, 2], 3]}, {"needs": None}, {"needs": "x"}])
def test_a_damaged_cache_is_rewritten(package: Path, project: Path, damage: dict[str, Any]) -> None:
    found()
    (file,) = (project / ".inplace_guard_cache").glob("*.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), **damage}))
    assert found() == [("pkg/block.py", 16)]
    assert from_cache()["pkg/block.py"]


def test_sites_in_other_files_come_back_from_the_cache(package: Path, project: Path, monkeypatch: Any) -> None:
    (package / "helpers.py").write_text("from torch import nn\n\n\nclass Norm(nn.LayerNorm):\n    pass\n")
    (package / "norm.py").write_text(
        "from torch import nn\n\n\nclass Norm(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.inner = nn.LayerNorm(4)\n\n    def forward(self, x):\n        return self.inner(x)\n"
    )
    text = BLOCK.replace("from pkg.helpers import accumulate", "from pkg.norm import Norm")
    (package / "block.py").write_text(
        text.replace("nn.LayerNorm(4)", "Norm()").replace("accumulate(h, y)", "h.add_(y)")
    )
    for folder, block, norm in ((project, "pkg/block.py", "pkg/norm.py"), (package, "block.py", "norm.py")):
        monkeypatch.chdir(folder)
        for cached in (False, True):
            (report,) = check_paths([block], Settings(root=project)).files
            assert report.cached is cached
            (finding,) = report.findings
            assert finding.saved is not None
            assert (finding.saved.path, finding.saved.line) == (norm, 10)
            assert f"on line 10 of {norm} saved" in finding.message


# Processes


def test_processes_give_what_one_process_gives(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_WORTH_A_POOL", 100)
    monkeypatch.setattr(run, "_CHUNK_BYTES", 100)
    for number in range(10):
        (package / f"block{number}.py").write_text(BLOCK + f"# {number}\n")
    one, two = found(cache=False, jobs=1), found(cache=False, jobs=2)
    assert one == two
    assert len(two) == 11


# Settings


def test_the_switch(package: Path, project: Path) -> None:
    assert found(cross_file=False) == []
    assert found() == [("pkg/block.py", 16)]  # from another cache
    (project / "pyproject.toml").write_text("[tool.inplace_guard]\ncross-file = false\n")
    assert load(project / "pyproject.toml").cross_file is False
    (project / "pyproject.toml").write_text('[tool.inplace_guard]\ncross-file = "no"\n')
    with pytest.raises(ConfigError, match="cross-file: must be true or false"):
        load(project / "pyproject.toml")


def test_the_command_line(package: Path) -> None:
    options = ["--isolated", "--no-cache", "--format", "concise", "."]
    runner = CliRunner()
    assert (
        "pkg/block.py:16:9: IPG101 `accumulate` (by `add_` at pkg/helpers.py:2)" in runner.invoke(check, options).output
    )
    assert runner.invoke(check, ["--no-cross-file", *options]).output == ""


def test_flake8_and_its_switch(package: Path, capsys: pytest.CaptureFixture[str], project: Path) -> None:
    options = ["--select", "IPG", "--jobs", "1", "pkg"]
    assert flake8.main(["--isolated", *options]) == 1
    assert capsys.readouterr().out.startswith("pkg/block.py:16:9: IPG101 `accumulate` (by `add_` at pkg/helpers.py:2)")
    assert flake8.main(["--isolated", "--inplace-guard-isolated", *options]) == 0
    (project / ".flake8").write_text("[flake8]\ninplace-guard-isolated = true\n")
    assert flake8.main(options) == 0


def test_standard_input_stands_for_the_file_of_its_name(package: Path) -> None:
    (finding,) = check_stdin(BLOCK.encode(), "pkg/block.py", Settings()).findings
    assert finding.write.line == 16
    assert not check_stdin(BLOCK.replace("accumulate(h, y)", "h = h + y").encode(), "pkg/block.py", Settings()).findings


def test_a_notebook_sees_what_lies_beside_it(package: Path, project: Path) -> None:
    cell = {"cell_type": "code", "source": BLOCK.replace("pkg.helpers", "pkg.helpers"), "metadata": {}, "outputs": []}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "try.ipynb").write_text(json.dumps(notebook))
    (finding,) = check_paths(["try.ipynb"], Settings(cache=False)).findings
    assert (finding.write.cell, finding.write.line) == (1, 16)


# What is reported


def test_noqa_counts_at_the_reported_line(package: Path) -> None:
    (package / "helpers.py").write_text(WRITES.replace("x.add_(y)", "x.add_(y)  # noqa: IPG101"))
    assert found() == [("pkg/block.py", 16)]
    (package / "block.py").write_text(BLOCK.replace("accumulate(h, y)", "accumulate(h, y)  # noqa: IPG101"))
    assert found() == []


def test_only_the_reported_file_is_fixed(package: Path) -> None:
    before = (package / "helpers.py").read_text()
    command = [sys.executable, "-m", "inplace_guard", "check", "--isolated", "--no-cache", "--fix", "."]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert (package / "block.py").read_text() == BLOCK
    process = subprocess.run([*command, "--unsafe-fixes"], capture_output=True, text=True, check=False)
    assert process.returncode == 0
    assert (package / "block.py").read_text() == BLOCK.replace("self.norm(h)", "self.norm(h.clone())")
    assert (package / "helpers.py").read_text() == before


# Files that do not mention torch


BASE = """\
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
"""
BLOCK_WITHOUT_TORCH = """\
from pkg.api import (  # a comment with a bracket)
    Base,
)


class Block(Base):
    def forward(self, h):
        h += self.norm(h)
        return h
"""
LOOP_WITHOUT_TORCH = "import pkg.api as api\nx = api.Base().norm(batch)\ny = x.exp()\ny += 1\ny.sum().backward()\n"


@pytest.fixture
def indirect(project: Path) -> Path:
    """A package of which two modules import one that uses torch, through one that does not."""
    folder = project / "pkg"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "base.py").write_text(BASE)
    (folder / "api.py").write_text("from .base import Base\n")
    (folder / "block.py").write_text(BLOCK_WITHOUT_TORCH)
    (folder / "loop.py").write_text(LOOP_WITHOUT_TORCH)
    (folder / "other.py").write_text(BLOCK_WITHOUT_TORCH.replace("pkg.api", "elsewhere.api"))
    return folder


def test_a_file_that_imports_what_uses_torch_is_checked(indirect: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = [("pkg/block.py", 8), ("pkg/loop.py", 4)]
    assert found(cache=False) == expected
    assert flake8.main(["--isolated", "--select", "IPG", "--jobs", "1", "."]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[:2] for line in lines] == [[f"./{path}", str(number)] for path, number in expected]
    assert found(cache=False, cross_file=False) == []
    assert flake8.main(["--isolated", "--select", "IPG", "--jobs", "1", "--inplace-guard-isolated", "."]) == 0


def test_the_others_are_skipped_and_that_is_told(indirect: Path) -> None:
    files = check_paths(["."], Settings(cache=False)).files
    reason = "neither mentions torch nor imports files of the project that do: not analysed"
    assert {file.path: file.skipped for file in files if file.skipped} == {
        "pkg/__init__.py": reason,
        "pkg/other.py": reason,
    }


def test_what_is_imported_may_begin_to_use_torch(indirect: Path) -> None:
    (indirect / "api.py").write_text("from .plain import Base\n")
    (indirect / "plain.py").write_text("class Base: pass\n")
    assert found() == []
    (indirect / "plain.py").write_text(BASE)
    assert found() == [("pkg/block.py", 8), ("pkg/loop.py", 4)]
    assert all(from_cache().values())


def test_what_cannot_be_read_is_a_problem_only_where_torch_is(indirect: Path) -> None:
    (indirect / "old.py").write_text("print 'Python 2'\n")
    (indirect / "latin.py").write_bytes("x = 'é'\n".encode("latin-1"))
    (indirect / "notes.ipynb").write_text("not a notebook")
    assert not check_paths(["."], Settings(cache=False)).all_problems
    (indirect / "old.py").write_text("from . import api\nprint 'Python 2'\n")
    (indirect / "latin.py").write_bytes("import pkg.base; x = 'é'\n".encode("latin-1"))
    (indirect / "notes.ipynb").write_text("not a notebook about torch")
    problems = check_paths(["."], Settings(cache=False)).all_problems
    assert [problem.path for problem in problems] == ["pkg/latin.py", "pkg/notes.ipynb", "pkg/old.py"]


@pytest.mark.parametrize(
    "text",
    [
        "import pkg.base\n",
        "import os, pkg.base as b\n",
        "from pkg import base\n",
        "from pkg.base import *\n",
        "from . import api\n",
        "from .base import \\\n    Base\n",
        "from . import (\n    os,  # (\n    base,\n)\n",
        "try: import pkg.base\nexcept ImportError: pass\n",
        "x = 1; from pkg.base import Base\n",
        "def f():\n    from .base import Base\n",
        "if True:\n\timport pkg.base\n",
    ],
)
def test_imports_are_seen_however_they_are_written(indirect: Path, text: str) -> None:
    (indirect / "other.py").write_text(text)
    (report,) = check_paths(["pkg/other.py"], Settings(cache=False)).files
    assert not report.skipped


@pytest.mark.parametrize("text", ["", "import os\n", "import base\n", "from .. import base\n", "x = 'pkg.base'\n"])
def test_other_imports_lead_nowhere(indirect: Path, text: str) -> None:
    (indirect / "other.py").write_text(text)
    (report,) = check_paths(["pkg/other.py"], Settings(cache=False)).files
    assert report.skipped
