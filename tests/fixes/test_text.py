"""Every other byte stays: encodings, byte-order marks, line ends, tabs, the last line."""

from __future__ import annotations

import ast
import codecs
import difflib
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inplace_guard.findings import Finding, Site
from inplace_guard.fixes import annotate, fix_source
from inplace_guard.fixes.text import Edit, SourceText, Unfixable

from .generated import program
from .marked import findings

BEFORE = b"import torch\n\n\ndef f(h, x):\n    h.add_(x)\n    return h\n"
AFTER = b"import torch\n\n\ndef f(h, x):\n    h = h + x\n    return h\n"
FINDING = Finding("IPG101", "rule", "static", "certain", "", Site("case.py", 5, 5, "add_"))


def fixed(data: bytes, line: int = 5, column: int = 5) -> bytes:
    finding = Finding("IPG101", "rule", "static", "certain", "", Site("case.py", line, column, "add_"))
    result = fix_source(data, [finding])
    assert not result.refused
    return result.source


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: data.replace(b"    ", b"\t"),
        lambda data: data.removesuffix(b"\n"),
        lambda data: codecs.BOM_UTF8 + data,
        lambda data: data.replace(b"torch\n\n", b"torch\r\n\n"),
        lambda data: data.replace(b"torch\n", b"torch  # \xc3\xa9 \xf0\x9f\x98\x80\n"),
        lambda data: data.replace(b"torch\n", b"torch\x0c\n"),
        lambda data: data + b"\n\n\n   \n",
        lambda data: b"# coding: latin-1\n" + data.replace(b"torch\n\n", b"torch  # \xe9\n"),
        lambda data: b"# -*- coding: cp1252 -*-\n" + data.replace(b"torch\n\n", b"torch  # \x80\n"),
        lambda data: b"# coding: shift-jis\n" + data.replace(b"torch\n\n", b"torch  # \x83\x5c\n"),
    ],
)
def test_other_bytes_stay(change: object) -> None:
    assert callable(change)
    before, after = change(BEFORE), change(AFTER)
    assert fixed(before, column=2 if b"\t" in before else 5) == after


def test_columns_count_characters() -> None:
    before = "import torch\n\n\nif True:\n    é = 'ééé'; h = torch.ones(2); h.add_(1); print(h, é)\n".encode()
    column = before.decode().splitlines()[4].index("h.add_") + 1
    assert fixed(before, column=column) == before.replace(b"h.add_(1)", b"h = h + 1")


def test_places_of_edits_count_characters() -> None:
    before = "import torch\n\n\nif True:\n    é = 'ééé'; h = torch.ones(2); h.add_(1); print(h, é)\n"
    column = before.splitlines()[4].index("h.add_") + 1
    finding = Finding("IPG101", "rule", "static", "certain", "", Site("case.py", 5, column, "add_"))
    (described,) = annotate(before.encode(), [finding])
    assert described.fix is not None
    (edit,) = described.fix["edits"]
    lines = before.splitlines()
    line = lines[edit["line"] - 1]
    assert edit["line"] == edit["end_line"] == 5
    lines[4] = line[: edit["column"] - 1] + edit["content"] + line[edit["end_column"] - 1 :]
    assert lines[4] == "    é = 'ééé'; h = torch.ones(2); h = h + 1; print(h, é)"


def test_new_lines_end_as_the_others() -> None:
    before = b"import torch\r\n\r\ndef f(x):\r\n\th = x.exp()\r\n\th[0] = 1\r\n\treturn h\r\n"
    finding = Finding("IPG101", "rule", "static", "certain", "", Site("case.py", 5, 2, "__setitem__"))
    after = before.replace(b"\th[0]", b"\th = h.clone()\r\n\th[0]")
    assert fix_source(before, [finding]).source == after


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"import torch\nx = (\n", "the file cannot be parsed"),
        (b"import torch\0\n", "the file cannot be parsed"),
        (b"import torch  # \xff\n", "the file cannot be decoded"),
        (b"# coding: no-such-code\nimport torch\n", "the file cannot be decoded"),
        (b"# coding: utf-7\nimport torch\nx = '+AGE-'\n", "does not give the same bytes back"),
    ],
)
def test_unreadable_files_are_left(data: bytes, reason: str) -> None:
    result = fix_source(data, [FINDING])
    assert result.source == data
    assert reason in result.refused[0].reason
    (described,) = annotate(data, [FINDING])
    assert described.fix is not None
    assert described.fix["applicability"] == "none"
    assert reason in described.fix["reason"]


def test_no_findings() -> None:
    assert fix_source(b"\xff", []).source == b"\xff"
    assert annotate(b"\xff", []) == []


def test_a_finding_that_is_not_there() -> None:
    result = fix_source(BEFORE, [Finding("IPG101", "rule", "static", "certain", "", Site("case.py", 99, 5, "add_"))])
    assert result.source == BEFORE
    assert result.refused[0].reason == "the write is not where the finding says"


def test_overlapping_changes_are_not_made() -> None:
    text = SourceText(b"abc = 1\n")
    with pytest.raises(Unfixable, match="overlap"):
        text.apply([Edit(0, 2, "x"), Edit(1, 3, "y")])
    assert text.apply([Edit(0, 0, "x"), Edit(0, 0, "x"), Edit(0, 1, "y")]) == b"xybc = 1\n"


def decorated(source: str, random: Random, letters: str) -> str:
    """The program with comments and blanks that have nothing to do with it."""
    lines = []
    for line in source.splitlines():
        comment = "".join(random.choice(letters) for _ in range(random.randint(1, 6)))
        lines.append(f"{line}  # {comment}" if line.strip() and random.random() < 0.3 else line)
        if random.random() < 0.1 and not line.endswith("else:"):
            lines.append(f"# {comment}" if random.random() < 0.5 else "")
    return "\n".join(lines) + "\n"


@given(
    random=st.randoms(use_true_random=False),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "cp1251", "shift-jis", "gbk", "koi8-r", "iso2022_jp"]),
    ends=st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"], ["\r\n", "\r"]]),
    last=st.booleans(),
)
@settings(max_examples=80)
def test_encodings_and_line_ends_survive(random: Random, encoding: str, ends: list[str], last: bool) -> None:
    letters = {
        "latin-1": "éß×",
        "cp1251": "жЮя",
        "koi8-r": "жЮя",
        "shift-jis": "ソ表漢",
        "gbk": "汉字。",
        "iso2022_jp": "漢字ア",
    }
    # Python finds no cookie in a file whose lines end in "\r" alone.
    assume(encoding.startswith("utf") or "\r" not in ends)
    cookie = "" if encoding.startswith("utf") else f"# coding: {encoding}\n"
    plain = cookie + decorated(program(random), random, letters.get(encoding, "é漢😀 "))
    if not last:
        plain = plain.rstrip("\n")
    mixed = "".join(part if part != "\n" else random.choice(ends) for part in plain)
    found = list(findings(plain, everywhere=True))
    expected = fix_source(plain.replace(cookie, "#\n" if cookie else "", 1).encode(), found).source.decode()
    data = mixed.encode(encoding)
    result = fix_source(data, found)
    text = result.source.decode(encoding)
    assert result.source[: len(codecs.BOM_UTF8)] == data[: len(codecs.BOM_UTF8)]
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    assert unified == expected.replace("#\n", cookie, 1) if cookie else unified == expected
    if len(ends) == 1:
        assert text == unified.replace("\n", ends[0])


@given(random=st.randoms(use_true_random=False), unsafe=st.booleans())
@settings(max_examples=60)
def test_only_statements_that_write_are_touched(random: Random, unsafe: bool) -> None:
    source = program(random)
    found = list(findings(source, everywhere=True))
    after = fix_source(source.encode(), found, unsafe=unsafe).source.decode()
    ast.parse(after)
    lines = {finding.write.line for finding in found}
    matcher = difflib.SequenceMatcher(None, source.splitlines(), after.splitlines(), autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag in ("replace", "delete"):
            assert set(range(start + 1, end + 1)) <= lines
        elif tag == "insert":  # a copy that is made before the write
            assert start + 1 in lines
