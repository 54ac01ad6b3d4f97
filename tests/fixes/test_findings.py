"""What `check` finds itself, fixed as `check --fix` does it: random modules in several layouts."""

from __future__ import annotations

import ast
import codecs
import difflib
from collections import Counter
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_guard.check.fixing import FixedFile, fix_bytes
from inplace_guard.config import Settings

from .hazards import differences, forward, gradient, point, program

SEEDS = st.randoms(use_true_random=False)


def fix(source: bytes, *, unsafe: bool) -> FixedFile:
    file = fix_bytes(source, "net.py", Settings(), unsafe=unsafe)
    assert not file.report.problems
    return file


def test_there_is_something_to_fix() -> None:
    """So that the tests below say something."""
    counts: Counter[str] = Counter()
    for seed in range(30):
        source = program(Random(seed), unseen=True).encode()
        safe, unsafe = fix(source, unsafe=False), fix(source, unsafe=True)
        counts.update(found=len(safe.original.findings), safe=len(safe.fixed), unsafe=len(unsafe.fixed))
        counts.update(left=len(unsafe.report.findings), programs=bool(safe.original.findings))
    assert counts["programs"] >= 20
    assert counts["found"] >= 40
    assert counts["safe"] >= 12
    assert counts["unsafe"] >= 35
    assert counts["left"] <= counts["found"] / 5


@given(random=SEEDS, unsafe=st.booleans())
@settings(max_examples=25)
def test_once_is_enough(random: Random, unsafe: bool) -> None:
    file = fix(program(random, unseen=True).encode(), unsafe=unsafe)
    ast.parse(file.after)
    again = fix(file.after, unsafe=unsafe)
    assert again.after == file.after
    for finding in again.report.findings:  # what stays says why
        assert finding.fix is not None
        assert finding.fix["reason"]


@given(random=SEEDS)
@settings(max_examples=25)
def test_safe_fixes_change_only_statements_with_findings(random: Random) -> None:
    source = program(random, unseen=True)
    file = fix(source.encode(), unsafe=False)
    known = [*file.original.findings, *file.fixed]
    named = {line.strip() for finding in known for line in (finding.write.source or "").split("\n")}
    tree = ast.parse(source)
    statements = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and not hasattr(n, "body")]
    lines = source.splitlines()
    allowed = {
        number
        for statement in statements
        if lines[statement.lineno - 1].strip() in named
        for number in range(statement.lineno, (statement.end_lineno or 0) + 1)
    }
    matcher = difflib.SequenceMatcher(None, lines, file.after.decode().splitlines(), autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        gone = set(range(start + 1, end + 1)) if tag in ("replace", "delete") else set()
        others = {lines[n - 1].strip() for n in gone - allowed}
        assert all("inplace=True" in line for line in others), file.after.decode()  # where the module is made


@given(random=SEEDS)
@settings(max_examples=25, deadline=None)
def test_safe_fixes_keep_the_values_and_give_their_gradient(random: Random) -> None:
    source = program(random)
    file = fix(source.encode(), unsafe=False)
    after = file.after.decode()
    with torch.no_grad():
        assert forward(after, point()).item() == pytest.approx(forward(source, point()).item(), rel=1e-9)
    try:
        found = gradient(after)
    except RuntimeError:
        assert file.report.findings  # what raises is still reported
        return
    assert found == pytest.approx(differences(source), rel=1e-4, abs=1e-5), after


@given(
    random=SEEDS,
    unsafe=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "cp1252"]),
    end=st.sampled_from(["\n", "\r\n"]),
    tabs=st.booleans(),
    last=st.booleans(),
)
@settings(max_examples=25)
def test_layouts_survive(random: Random, unsafe: bool, encoding: str, end: str, tabs: bool, last: bool) -> None:
    """The text is fixed as it is in UTF-8 with plain lines, and every other byte stays."""
    plain = program(random, unseen=True)
    cookie = "" if encoding.startswith("utf") else f"# coding: {encoding}\n"
    plain = f"{cookie}# \xe9\xdf\n{plain}"

    def dressed(text: str) -> bytes:
        text = text.replace("    ", "\t") if tabs else text
        text = text if last else text.removesuffix("\n")
        return text.replace("\n", end).encode(encoding)

    expected = fix(("#\n" + plain.removeprefix(cookie) if cookie else plain).encode(), unsafe=unsafe).after.decode()
    expected = cookie + expected.removeprefix("#\n") if cookie else expected
    after = fix(dressed(plain), unsafe=unsafe).after
    assert after == dressed(expected)
    assert after.startswith(codecs.BOM_UTF8) == (encoding == "utf-8-sig")
