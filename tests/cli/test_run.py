"""`inplace-guard run`: the program is what it was, and its hazards are named."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inplace_guard.cli import main

ECHO = "import sys\nprint(__name__, sys.argv)\nsys.exit(int(sys.argv[-1]))\n"
BROKEN = """\
import torch

h = torch.ones(3, requires_grad=True) * 2
y = h.sigmoid()
y.mul_(2)
y.sum().backward()
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inplace_guard", "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("before", "argv"),
    [
        (["echo.py"], "echo.py"),
        (["-m", "echo"], None),
        (["-mecho"], None),
        (["--report", "r.json", "-m", "echo"], None),
    ],
)
def test_arguments_and_exit_code_are_those_of_the_program(project: Path, before: list[str], argv: str | None) -> None:
    (project / "echo.py").write_text(ECHO)
    process = run(*before, "--help", "-m", "x", "--report", "7")
    assert process.returncode == 7, process.stderr
    own = argv or str(project / "echo.py")
    assert process.stdout == f"__main__ {[own, '--help', '-m', 'x', '--report', '7']}\n"
    assert process.stderr == ""


def test_a_hazard_is_named(project: Path) -> None:
    (project / "train.py").write_text(BROKEN)
    process = run("--report", "report.json", "train.py")
    assert process.returncode == 1
    assert "RuntimeError: one of the variables needed for gradient computation" in process.stderr
    assert "error[IPG101]" in process.stderr
    assert " --> train.py:5:1" in process.stderr
    (finding,) = json.loads((project / "report.json").read_text())["findings"]
    lines = [finding[site]["line"] for site in ("write", "saved", "needed")]
    assert (finding["source"], lines) == ("runtime", [5, 4, 6])


def test_a_correct_program_is_left_alone(project: Path) -> None:
    (project / "train.py").write_text(BROKEN.replace("y.mul_(2)", "y = y.mul(2)") + "print('done')\n")
    process = run("train.py")
    assert (process.returncode, process.stdout, process.stderr) == (0, "done\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a SCRIPT or -m MODULE is needed"),
        (["none.py"], "none.py: no such file"),
        (["-m", "no_such_module"], "there is no module 'no_such_module'"),
        (["-m", "no_such.module"], "there is no module 'no_such.module'"),
        (["--reprot", "x", "y.py"], "No such option"),
        (["--report", "no/such/folder/r.json", "ok.py"], "--report: cannot write no/such/folder/r.json"),
    ],
)
def test_wrong_usage(project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    (project / "ok.py").write_text("")
    assert main(["run", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_without_torch(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else real(name, *rest))
    (project / "train.py").write_text(BROKEN)
    assert main(["run", "train.py"]) == 2
    err = capsys.readouterr().err
    assert "`run` needs PyTorch" in err
    assert "pip install 'inplace-guard[runtime]'" in err


def test_the_command_does_not_import_torch(python_imports: Any) -> None:
    assert "torch" not in python_imports("inplace_guard.cli.run")
