"""What docs/diagnose.md shows is what happens. `python tests/docs/test_diagnose_page.py` writes its output anew."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "docs" / "diagnose.md"
PAGE = PATH.read_text(encoding="utf-8")
PROGRAM = re.compile(r'^```python title="gan\.py"\n(.*?)^```$', re.DOTALL | re.MULTILINE)
MARKED = re.compile(r"(<!-- begin: (\w+) -->\n)(.*?)(<!-- end: \w+ -->)", re.DOTALL)


@cache
def run() -> tuple[str, str]:
    """The error of the program on the page, and what diagnose says to its log."""
    program = PROGRAM.search(PAGE)
    assert program is not None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "gan.py").write_text(program[1], encoding="utf-8")
        job = subprocess.run([sys.executable, "gan.py"], cwd=folder, capture_output=True, text=True, check=False)
        Path(folder, "job.log").write_text(job.stderr, encoding="utf-8")
        command = [sys.executable, "-m", "inplace_guard", "diagnose", "job.log"]
        shown = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return job.stderr[job.stderr.index("RuntimeError") :].partition(" Hint:")[0], shown


def shown(name: str) -> str:
    return next(text for _, section, text, _ in MARKED.findall(PAGE) if section == name)


def test_the_error() -> None:
    assert " ".join(shown("error").strip("`\n").removeprefix("text").split()) == run()[0]


def test_the_output() -> None:
    assert shown("output") == f"```text\n{run()[1]}```\n"


def test_the_lines_that_the_prose_names() -> None:
    program = PROGRAM.search(PAGE)
    assert program is not None
    lines = program[1].splitlines()
    assert "(-score.mean()).backward()" in lines[17]
    assert "opt_c.step()" in lines[15]
    assert "gan.py:16:5: very likely" in run()[1]
    assert "Its error names line 18" in PAGE


if __name__ == "__main__":
    PATH.write_text(
        MARKED.sub(lambda m: f"{m[1]}```text\n{run()[1]}```\n{m[4]}" if m[2] == "output" else m[0], PAGE),
        encoding="utf-8",
    )
