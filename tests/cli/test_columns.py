"""Lines and columns: those that an editor shows, in every format, whatever the characters before them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_guard.cli import main

# "é" is two bytes of UTF-8, "🐍" four, and two code units of UTF-16; form feeds and the others end no line for Python.
SOURCE = """\
import torch
text = "a\x0bb\x1cc\u2028d\x85e"
\x0c
def step(x: torch.nn.Parameter) -> None:
    größe = "é🐍"; y = x.sigmoid(); y *= 2; y.sum().backward()
step(torch.nn.Parameter(torch.ones(2)))
"""
LINE, COLUMN = 5, 36
WRITE = 'größe = "é🐍"; y = x.sigmoid(); y *= 2; y.sum().backward()'


@pytest.fixture
def source(project: Path) -> Path:
    path = project / "net.py"
    path.write_bytes(SOURCE.encode())
    assert SOURCE.split("\n")[LINE - 1][COLUMN - 1 :].startswith("y *= 2")
    return path


def test_json(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "--format", "json", "net.py"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    write = finding["write"]
    assert (write["line"], write["column"], write["source"]) == (LINE, COLUMN, WRITE)


def test_text(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "net.py"]) == 1
    out = capsys.readouterr().out
    assert f" --> net.py:{LINE}:{COLUMN}\n" in out
    shown = next(line for line in out.splitlines() if line.startswith("5 |"))
    mark = next(line for line in out.splitlines() if "written here" in line)
    # the snake is two columns wide on a terminal
    assert shown[mark.index("^") - 1 :].startswith("y *= 2")


def test_flake8_shows_the_same(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "--format", "concise", "net.py"]) == 1
    ours = capsys.readouterr().out
    assert ours.startswith(f"net.py:{LINE}:{COLUMN}: IPG101 ")
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "IPG", "net.py"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == ours


def test_sarif_counts_code_points_and_says_so(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "--format", "sarif", "net.py"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (LINE, COLUMN)
    (fix,) = run["results"][0]["fixes"]
    (replacement,) = fix["artifactChanges"][0]["replacements"]
    deleted = replacement["deletedRegion"]
    assert deleted["startLine"] == LINE
    text = SOURCE.split("\n")[LINE - 1]
    fixed = (
        text[: deleted["startColumn"] - 1] + replacement["insertedContent"]["text"] + text[deleted["endColumn"] - 1 :]
    )
    assert fixed == text.replace("y *= 2", "y = y * 2")


def test_github(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--no-cache", "--format", "github", "net.py"]) == 1
    assert f"file=net.py,line={LINE},col={COLUMN}" in capsys.readouterr().out


def test_fix_writes_there(source: Path) -> None:
    main(["check", "--no-cache", "--fix", "net.py"])
    assert source.read_bytes().decode() == SOURCE.replace("y *= 2", "y = y * 2")
