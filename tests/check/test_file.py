"""Bytes of every kind -> findings, or one clear line."""

from __future__ import annotations

import codecs
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_guard.check.file import check_bytes

CODES = {"IPG101"}
GOOD = "import torch\nh.add_(x)  # HAZARD é\n"


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        codecs.BOM_UTF8 + GOOD.encode(),
        b"# -*- coding: latin-1 -*-\n" + GOOD.encode("latin-1"),
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + GOOD.encode("cp1252"),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.encode() + b"\f\n",
    ],
    ids=["utf-8", "bom", "latin-1", "cp1252", "crlf", "cr", "form feed"],
)
def test_encodings_and_line_ends(data: bytes, marked_lines: Any) -> None:
    report = check_bytes(data, "x.py", CODES)
    assert not report.problems
    (finding,) = report.findings
    assert finding.write.source == "h.add_(x)  # HAZARD é"


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"import torch\nx = (\n", "cannot be parsed: '(' was never closed; fix the syntax", 2),
        (b"import torch\n\ty = 1\n", "cannot be parsed: unexpected indent", 2),
        (b"import torch\nprint 'x'\n", "cannot be parsed: ", 2),
        (b"import torch\nx = '\xff'\n", "byte 0xff is not valid utf-8; save the file as UTF-8", 2),
        (b"# coding: klingon\nimport torch\n", "unknown encoding: klingon", 1),
        (b"\n# coding: ascii\nimport torch\nx = '\xc3\xa9'\n", "byte 0xc3 is not valid ascii", 4),
        (codecs.BOM_UTF8 + b"# coding: latin-1\nimport torch\n", "encoding problem", 1),
        (b"import torch\nx = 1\0\n", "contains a null byte", 2),
        ("import torch\n".encode("utf-16"), "is UTF-16", 1),
        (b"import torch\nx = " + b"-" * 100_000 + b"1\n", "nested too deeply for Python's parser", 0),
        (b"import torch\nx = " + b"(" * 300 + b")" * 300, "too many nested parentheses", 2),
        (b"# coding: hex\nimport torch\n", "", 1),
        (b"# coding: rot13\nimport torch\n", "", 1),
    ],
)
def test_problems_are_one_clear_line(data: bytes, message: str, line: int, marked_lines: Any) -> None:
    report = check_bytes(data, "x.py", CODES)
    (problem,) = report.problems
    assert message in problem.message
    assert "\n" not in str(problem)
    assert problem.line == line
    assert not report.findings
    assert not marked_lines.paths


def test_a_file_without_torch_is_not_even_parsed(marked_lines: Any) -> None:
    report = check_bytes(b"not python at all (", "x.py", CODES)
    assert not report.problems
    assert report.skipped == "does not mention torch: not analysed"


def test_an_internal_error_is_one_line(marked_lines: Any) -> None:
    (problem,) = check_bytes(b"import torch  # CRASH\n", "x.py", CODES).problems
    assert problem.internal
    assert str(problem).startswith("x.py: internal error (KeyError: 'nothing\\nhere' at file.py:")
    assert str(problem).endswith("; please report it with this file")


def test_warnings_of_the_parser_are_not_shown(marked_lines: Any, recwarn: pytest.WarningsRecorder) -> None:
    check_bytes(b"import torch\nx = '\\d'\ny = 1 is 2\n", "x.py", CODES)
    assert not recwarn.list


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    for name in ("x.py", "x.ipynb"):
        report = check_bytes(b"import torch\n" + data, name, CODES)
        assert all("internal error" not in problem.message for problem in report.problems)


@given(st.text(max_size=200), st.sampled_from(["utf-8", "utf-16", "latin-1", "utf-7", "shift-jis"]))
def test_no_text_raises(text: str, encoding: str) -> None:
    data = f"# coding: {encoding}\nimport torch\n{text}".encode(encoding, "replace")
    report = check_bytes(data, "x.py", CODES)
    assert all("internal error" not in problem.message for problem in report.problems)
