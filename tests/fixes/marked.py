"""Small programs with their fixes, as text.

    == a title
    the program, its writes marked with `# <-`
    --
    the program after safe fixes

    == a title ?? a part of the reason
    the program
    --
    the program after --unsafe-fixes; without, it stays as it is

    == a title !! a part of the reason
    a program that stays as it is in either case

Reasons say "line N" for any line.

The findings are those of the marked lines: the analysis has no part in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from inplace_guard.findings import Finding, Site
from inplace_guard.fixes import FixResult, annotate, fix_source

MARK = "  # <-"
PREAMBLE = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
_OPERATORS = {
    ast.Add: "add_",
    ast.Sub: "sub_",
    ast.Mult: "mul_",
    ast.Div: "div_",
    ast.Pow: "pow_",
    ast.Mod: "remainder_",
    ast.FloorDiv: "floor_divide_",
}


@dataclass(frozen=True, slots=True)
class Case:
    before: str
    after: str
    unsafe: bool
    reason: str


def cases(text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrises a test with the programs of a text."""
    found = []
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, _, code = block.partition("\n")
        before, _, after = code.partition("\n--\n")
        title, sign, reason = re.match(r"(.*?)(?: (\?\?|!!) (.*))?$", head).groups()  # type: ignore[union-attr]
        before, after = before.strip("\n") + "\n", after.strip("\n") + "\n"
        assert (sign == "!!") == (not after.strip()), f"{title}: what is after the fix?"
        case = Case(before, before if sign == "!!" else after, sign == "??", reason or "")
        found.append(pytest.param(case, id=title.replace(" ", "-")))
    return pytest.mark.parametrize("case", found)


def check(case: Case, code: str = "IPG101", **sites: Site | Callable[[str], Site]) -> None:
    """Fixes a case safely and unsafely, and the result once more."""
    for unsafe in (False, True):
        result = fix(case.before, code, unsafe=unsafe, **sites)
        applies = case.after != case.before and (unsafe or not case.unsafe)
        expected = case.after if applies else case.before.replace(MARK, "")
        reasons = [refusal.reason for refusal in result.refused]
        assert body(result) == expected, reasons
        assert not applies or not reasons
        if not applies:
            assert case.reason in re.sub(r"line \d+", "line N", " / ".join(reasons))
    for finding in annotate(program(case.before).encode(), list(findings(program(case.before), code, **sites))):
        assert finding.fix is not None
        assert (finding.fix["applicability"] == "none") == ("edits" not in finding.fix)


def fix(text: str, code: str = "IPG101", *, unsafe: bool = False, **sites: Site | Callable[[str], Site]) -> FixResult:
    source = program(text)
    found = list(findings(source, code, **sites))
    assert found, "no marked line writes"
    return fix_source(source.encode(), found, unsafe=unsafe)


def program(text: str) -> str:
    return PREAMBLE + text


def body(result: FixResult) -> str:
    """The new text without preamble and marks."""
    return result.source.decode().removeprefix(PREAMBLE).replace(MARK, "")


def findings(
    source: str, code: str = "IPG101", *, everywhere: bool = False, **sites: Site | Callable[[str], Site]
) -> Iterator[Finding]:
    """A finding at each write, as the analysis would give it."""
    lines = source.splitlines()
    places = {name: site(source) if callable(site) else site for name, site in sites.items()}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt | ast.expr) and (everywhere or MARK in lines[node.lineno - 1]):
            op = op_of(node)
            if op is not None:
                site = Site("case.py", node.lineno, node.col_offset + 1, op, source=lines[node.lineno - 1].strip())
                yield Finding(code, "rule", "static", "certain", "overwritten", site, **places)


def line_of(text: str, op: str = "backward") -> Callable[[str], Site]:
    """The site of the line that holds this text."""

    def find(source: str) -> Site:
        number = next(n for n, line in enumerate(source.splitlines(), 1) if text in line)
        return Site("case.py", number, 1, op)

    return find


def op_of(node: ast.AST) -> str | None:
    """What the analysis calls the write that a node is; None if it is none."""
    if isinstance(node, ast.AugAssign):
        return _OPERATORS.get(type(node.op))
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr == "data":
            return "data"
        return "__setitem__" if isinstance(target, ast.Subscript) else None
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if any(keyword.arg == "inplace" and _is_true(keyword.value) for keyword in node.keywords):
            return f"{name}(inplace=True)" if name[:1].isupper() else name
        if any(keyword.arg == "out" for keyword in node.keywords) or (name.endswith("_") and name[:2] != "__"):
            return name
        return "SGD.step()" if name == "step" else None
    return None


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
