"""docs/tape.md says what the commands print, and its numbers are those of the code."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from inplace_guard.report.html import page
from inplace_guard.report.html.bounded import MOST_BARS, MOST_NODES
from inplace_guard.runtime import graphwalk
from inplace_guard.runtime.tape.observe import observe
from minigpt_fixture import cli
from minigpt_fixture.tape import loss

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tape.md").read_text(encoding="utf-8")
ASSETS = ROOT / "src" / "inplace_guard" / "report" / "html" / "assets"


def placeless(text: str) -> list[str]:
    """Its lines without the numbers of the model's lines, which any edit of it moves."""
    return [re.sub(r"model\.py:\d+", "model.py", line).rstrip() for line in text.splitlines()]


@cache
def printed(*arguments: str) -> list[str]:
    from contextlib import redirect_stdout
    from io import StringIO

    out = StringIO()
    with redirect_stdout(out):
        assert cli.main(["tape", *arguments]) == 0
    return placeless(out.getvalue())


@pytest.mark.parametrize("block", re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL))
def test_what_it_shows_is_what_is_printed(block: str) -> None:
    output = printed("--savings") if block.startswith("These ops") else printed()
    wanted = [line for line in placeless(block) if not re.match(r"  \d+ \w+Backward", line)]
    position = -1
    for line in wanted:
        assert line in output[position + 1 :], line
        position = output.index(line, position + 1)


def test_the_commands_of_the_mini_gpt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\$ python -m minigpt_fixture (.+)$", PAGE, re.MULTILINE)
    assert len(commands) == 2
    codes = [cli.main(command.split()) for command in commands]
    assert codes == [0, 1]
    assert (tmp_path / "tape.html").is_file()


@pytest.mark.parametrize(("library", "name"), [("D3", "d3"), ("dagre", "dagre")])
def test_the_libraries(library: str, name: str) -> None:
    version, licence, size = re.findall(rf"\[{library}\]\([^)]+\)\s+(\S+) \((\w+), (\d+) KiB\)", PAGE)[0]
    code = ASSETS / f"{name}.min.js"
    assert round(code.stat().st_size / 1024) == int(size)
    text = code.read_text(encoding="utf-8")
    assert version in text
    words = {"ISC": "with or without fee", "MIT": "free of charge"}[licence]
    assert words in (ASSETS / f"{name}.LICENSE").read_text(encoding="utf-8")


def test_the_bounds() -> None:
    assert f"{MOST_NODES:,} nodes or {MOST_BARS:,} pieces of memory" in " ".join(PAGE.split())
    assert f"more than {graphwalk._DEEP:,} nodes" in " ".join(PAGE.split())
    assert f"{graphwalk._STACK >> 20} MiB" in PAGE


def test_the_size_of_the_page() -> None:
    size = len(page(observe(loss, "mini-GPT").document()).encode())
    stated = re.search(r"page \| (\d+) KiB", PAGE)
    assert stated is not None
    assert size / 1024 == pytest.approx(int(stated[1]), rel=0.05)
