"""Safe fixes keep what a program computes, whoever holds its tensors: random programs, run by PyTorch."""

from __future__ import annotations

import ast
import difflib
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_guard.fixes import fix_source

from .generated import SMOOTH, differences, gradients, program, values
from .holders import PROGRAMS
from .marked import PREAMBLE, findings
from .test_corpus import run, same


def close(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == pytest.approx(b, rel=1e-5, abs=1e-6, nan_ok=True) if isinstance(a, float) else a == b


def keeps_its_values(source: str) -> int:
    """The number of fixes."""
    before = values(source)
    if any(isinstance(value, str) for value in before):
        return 0
    result = fix_source(source.encode(), list(findings(source, everywhere=True)))
    fixed = result.source.decode()
    changes = "".join(difflib.unified_diff(source.splitlines(True), fixed.splitlines(True), n=0))
    assert close(values(fixed), before), f"{source}\n{changes}"
    return len(result.fixed)


def test_many_programs() -> None:
    """The head of each program has seven writes; most of what is done with the other ones is done by them."""
    made = [program(Random(seed)) for seed in range(150)]
    assert sum(map(keeps_its_values, made)) > 600


@pytest.mark.slow
def test_very_many_programs() -> None:
    for seed in range(1000, 6000):
        keeps_its_values(program(Random(seed)))


def holders() -> list[object]:
    found: list[object] = []
    for block in re.split(r"^== ", PROGRAMS, flags=re.MULTILINE)[1:]:
        title, _, source = block.partition("\n")
        found.append(pytest.param(PREAMBLE + source, id=title.replace(" ", "-")))
    return found


@pytest.mark.parametrize("source", holders())
def test_whoever_holds_the_tensor(source: str) -> None:
    before = run(source, "case.py")
    assert not isinstance(before, Exception)
    result = fix_source(source.encode(), list(findings(source, everywhere=True)))
    assert result.fixed or result.refused
    after = run(result.source.decode(), "fixed.py")
    assert same(after, before), result.source.decode()
    assert [t.dtype for t in after if t is not None] == [t.dtype for t in before if t is not None]


def has_its_gradient(source: str) -> bool:
    """Whether a fixed program could be compared: autograd's gradient with that of the values before the fix."""
    if any(isinstance(value, str) for value in values(source)):
        return False
    result = fix_source(source.encode(), list(findings(source, everywhere=True)))
    compared = False
    for flag in (False, True):
        try:
            found = gradients(result.source.decode(), flag)
        except RuntimeError:  # a write that was left
            continue
        expected = differences(source, flag)
        if max(map(abs, expected)) < 1e3:
            assert found == pytest.approx(expected, rel=1e-4, abs=1e-4), f"{source}\n{result.source.decode()}"
            compared = True
    return compared


def test_gradients() -> None:
    made = [program(Random(seed), SMOOTH) for seed in range(100)]
    assert sum(map(has_its_gradient, made)) > 50


@pytest.mark.slow
def test_very_many_gradients() -> None:
    for seed in range(1000, 3000):
        has_its_gradient(program(Random(seed), SMOOTH))


def statements(source: str) -> set[int]:
    """The lines of all statements with a write."""
    tree = ast.parse(source)
    places = {(finding.write.line, finding.write.column) for finding in findings(source, everywhere=True)}
    lines: set[int] = set()
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt) and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            inside = {(n.lineno, n.col_offset + 1) for n in ast.walk(statement) if isinstance(n, ast.stmt | ast.expr)}
            if inside & places and not hasattr(statement, "body"):
                lines.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    return lines


@given(random=st.randoms(use_true_random=False), unsafe=st.booleans())
@settings(max_examples=60)
def test_the_result_parses_and_only_writes_are_touched(random: Random, unsafe: bool) -> None:
    source = program(random)
    result = fix_source(source.encode(), list(findings(source, everywhere=True)), unsafe=unsafe)
    fixed = result.source.decode()
    ast.parse(fixed)
    allowed = statements(source)
    old, new = source.splitlines(), fixed.splitlines()
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            touched = set(range(start + 1, end + 1)) or {start + 1}
            assert touched <= allowed, (tag, touched - allowed, fixed)
