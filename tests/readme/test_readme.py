"""The output that README.md shows is what the commands print. `python tests/readme/test_readme.py` writes it anew."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n\$ ((?:flake8|inplace-guard|pytest) .*)\n((?s:.*?))```$", re.MULTILINE)
MODULES = {"flake8": ["flake8", "--isolated"], "inplace-guard": ["inplace_guard"], "pytest": ["pytest"]}


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall(README.read_text(encoding="utf-8"))


def output(command: str) -> str:
    program, *arguments = shlex.split(command)
    process = subprocess.run(
        [sys.executable, "-m", *MODULES[program], *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 1, process.stderr  # each of them shows findings
    return process.stdout


def shown(command: str) -> str:
    """What README.md shows of the output: of pytest's, only the report."""
    text = output(command)
    if command.startswith("pytest"):
        start = text.index("\n", text.index("- inplace-guard -")) + 1
        first = text[start:].partition("\n\n")[0]
        return f"...\n{'-' * 32} inplace-guard {'-' * 33}\n{first}\n...\n"
    return text


def test_there_are_blocks() -> None:
    assert [command.split()[0] for command, _ in blocks()] == ["flake8", "inplace-guard", "pytest"]


@pytest.mark.parametrize(("command", "text"), blocks())
def test_output(command: str, text: str) -> None:
    assert text == shown(command)


if __name__ == "__main__":
    README.write_text(
        BLOCK.sub(lambda block: f"```console\n$ {block[1]}\n{shown(block[1])}```", README.read_text(encoding="utf-8")),
        encoding="utf-8",
    )
