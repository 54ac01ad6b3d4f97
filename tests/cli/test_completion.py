"""Shell completion, as the shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_guard import rules

PROGRAM = Path(sys.executable).with_name("inplace-guard")


def ask(instruction: str, **environment: str) -> str:
    """Runs the program as a shell does that completes a line."""
    variables = {**os.environ, "_INPLACE_GUARD_COMPLETE": instruction, **environment}
    return subprocess.run(
        [sys.executable, "-m", "inplace_guard"], env=variables, capture_output=True, text=True, check=False
    ).stdout


def completed(*words: str) -> list[str]:
    line = " ".join(["inplace-guard", *words])
    answer = ask("bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words)))
    return [line.partition(",")[2] for line in answer.splitlines()]


def test_commands() -> None:
    assert completed("di") == ["diagnose"]
    assert set(completed("")) >= {"check", "diagnose", "explain", "rules", "run"}


def test_options_and_their_values() -> None:
    assert completed("check", "--stat") == ["--statistics"]
    assert completed("check", "--format", "gi") == ["github", "gitlab"]


def test_codes() -> None:
    assert completed("explain", "IPG90") == ["IPG901", "IPG902"]
    assert completed("explain", "ipg3") == [code for code in rules.CATALOGUE if code.startswith("IPG3")]
    assert completed("check", "--select", "IPG101,IPG90") == ["IPG101,IPG901", "IPG101,IPG902"]


@pytest.mark.parametrize("words", [("check", "src"), ("diagnose", "job"), ("check", "--config", "py")])
def test_files_are_left_to_the_shell(words: tuple[str, ...]) -> None:
    line = " ".join(["inplace-guard", *words])
    answer = ask("bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words)))
    assert answer.splitlines()[0].startswith("file,")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell: str) -> None:
    script = ask(f"{shell}_source")
    assert "_INPLACE_GUARD_COMPLETE" in script
    assert "inplace-guard" in script


@pytest.mark.skipif(shutil.which("bash") is None or not PROGRAM.exists(), reason="needs bash and the installed program")
def test_in_bash(tmp_path: Path) -> None:
    """The line of docs/editors.md, in a real shell."""
    script = f"""
export PATH={PROGRAM.parent}:$PATH
eval "$(_INPLACE_GUARD_COMPLETE=bash_source inplace-guard)"
COMP_WORDS=(inplace-guard explain IPG301) COMP_CWORD=2
_inplace_guard_completion inplace-guard
echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.split() == ["IPG301"], done.stderr
