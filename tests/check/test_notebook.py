"""Jupyter notebooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inplace_guard.check.file import check_bytes
from inplace_guard.check.model import FileReport


def notebook(*cells: str | tuple[str, str], **metadata: Any) -> bytes:
    """Strings are code cells, (kind, text) any others."""
    listed = []
    for cell in cells:
        kind, text = ("code", cell) if isinstance(cell, str) else cell
        listed.append({"cell_type": kind, "source": text.splitlines(keepends=True), "metadata": {}, "outputs": []})
    return json.dumps({"cells": listed, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def check(data: bytes) -> FileReport:
    return check_bytes(data, "net.ipynb", {"IPG101"})


def places(report: FileReport) -> list[tuple[int | None, int]]:
    return [(finding.write.cell, finding.write.line) for finding in report.findings]


def test_cell_and_line(marked_lines: Any) -> None:
    report = check(
        notebook("import torch\n", ("markdown", "# HAZARD h."), "y = ln(h)\nh.add_(y)  # HAZARD", "h.mul_(2)  # HAZARD")
    )
    assert not report.problems
    assert places(report) == [(3, 2), (4, 1)]
    # the line before the first line of cell 4 is the last line of cell 3
    second = report.findings[1]
    assert second.saved is not None
    assert (second.saved.cell, second.saved.line) == (3, 2)


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline\nh.add_(y)  # HAZARD",
        "!pip install torch\nh.add_(y)  # HAZARD",
        "files = !ls\nh.add_(y)  # HAZARD",
        "t = %timeit -o f()\nh.add_(y)  # HAZARD",
        "%%time\nh.add_(y)  # HAZARD",
        "h.add_?\nh.add_(y)  # HAZARD",
        "?h\nh.add_(y)  # HAZARD",
        "await f()\nh.add_(y)  # HAZARD",
    ],
)
def test_magics_and_await(cell: str, marked_lines: Any) -> None:
    report = check(notebook("import torch", cell))
    assert not report.problems
    assert places(report) == [(2, 2)]


@pytest.mark.parametrize(
    "magic", ["%time ", "%timeit ", "%time  ", "%timeit -n 10 -r 3 ", "    %time ", "%%timeit -q\n", "%%time\n"]
)
def test_what_is_timed_is_run(magic: str) -> None:
    head = "if True:\n" if magic.startswith(" ") else ""
    cell = f"{head}{magic}x.add_(1)"
    report = check_bytes(
        notebook("import torch\nx = torch.zeros(2, requires_grad=True)", cell), "net.ipynb", {"IPG103"}
    )
    (finding,) = report.findings
    assert not report.problems
    line = cell.splitlines()[finding.write.line - 1]
    assert line[finding.write.column - 1 :].startswith("x.add_(1)")
    assert finding.write.source == line.strip()


@pytest.mark.parametrize("line", ["%time", "%timeit -h", "%time for x in", "%timeit", "%time !ls", "%time %ls"])
def test_timing_nothing_that_is_python(line: str) -> None:
    report = check(notebook("import torch", f"{line}\nx = 1"))
    assert not report.problems


def test_a_shell_command_over_several_lines(marked_lines: Any) -> None:
    report = check(notebook("import torch", "!pip install \\\n  torch numpy\nif h:\n    !ls\nh.add_(y)  # HAZARD"))
    assert not report.problems
    assert places(report) == [(2, 5)]


def test_a_percent_sign_in_a_string_is_no_magic(marked_lines: Any) -> None:
    report = check(notebook("import torch", "x = '''\n%d\n'''\nh.add_(x)  # HAZARD"))
    assert places(report) == [(2, 4)]


def test_cells_in_another_language_are_left_out(marked_lines: Any) -> None:
    report = check(notebook("import torch", "%%bash\necho 'h.HAZARD'", "%%html\n<b>h.HAZARD</b>"))
    assert not report.problems
    assert not report.findings


def test_a_bad_cell_is_named_and_the_others_are_checked(marked_lines: Any) -> None:
    report = check(notebook("import torch", "x = 1\nx = (", "h.add_(y)  # HAZARD"))
    (problem,) = report.problems
    assert str(problem).startswith("net.ipynb:cell 2:2:5: cannot be parsed: '(' was never closed; fix the syntax")
    assert places(report) == [(3, 1)]


def test_a_notebook_in_another_language(marked_lines: Any) -> None:
    report = check(notebook("library(torch) <- (", language_info={"name": "R"}))
    assert not report.problems
    assert report.skipped == "is a notebook in R: not analysed"


@pytest.mark.parametrize(
    "data",
    [
        b'"torch"',
        b"{torch",
        b'{"cells": "torch"}',
        b'{"cells": [{"torch": 1}]}',
        b'{"worksheets": [], "t": "torch"}',
        b'{"cells": [{"cell_type": "code", "source": 3}], "t": "torch"}',
    ],
)
def test_what_is_no_notebook(data: bytes, marked_lines: Any) -> None:
    (problem,) = check(data).problems
    assert "is not a valid notebook" in problem.message


def test_old_notebooks(marked_lines: Any) -> None:
    data = {"worksheets": [{"cells": [{"cell_type": "code", "input": "import torch\nh.add_(y)  # HAZARD"}]}]}
    assert places(check(json.dumps(data).encode())) == [(1, 2)]


def test_messages_name_cells_and_lines() -> None:
    """And not the lines of the joined cells, which nobody sees."""
    cells = (
        "import torch\nfrom torch import nn\nx = torch.randn(2, requires_grad=True)",
        ("markdown", "about\nthis"),
        "# a comment\n\ny = x.sigmoid()",
        "y *= 2\ny.sum().backward()",
    )
    (finding,) = check(notebook(*cells)).findings
    assert (finding.write.cell, finding.write.line) == (4, 1)
    assert "sigmoid on line 3 of cell 3 saved" in finding.message
    for code, again in (("IPG301", "z = x.exp().sum()\nz.backward()\nz.backward()"),):
        report = check_bytes(notebook(cells[0], again), "net.ipynb", {code})
        assert "exp saved on line 1 of cell 2" in report.findings[0].message
        assert "the backward on line 2 of cell 2" in report.findings[0].message
