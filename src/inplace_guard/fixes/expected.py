"""Where a file expects an error: a test of it, or code that goes on after it. A fix would take that error away."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from inplace_guard.findings import Finding
from inplace_guard.fixes.checking import WHOLE
from inplace_guard.fixes.tree import Tree, last_name
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["Expected"]

_CAUGHT = {"RuntimeError", "Exception", "BaseException"}
_ASSERTING = {"assertRaises", "assertRaisesRegex"}
_MARKS = {"pytest.mark.xfail", "unittest.expectedFailure"}


@dataclass(frozen=True, slots=True)
class _Place:
    """`function` is None where calls into other functions of the file count as well."""

    lines: range
    function: ast.AST | None


class Expected:
    """The lines of a file whose errors are expected."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._functions = [node for node in tree.functions if not isinstance(node, ast.Lambda)]
        self._places = list(self._find())

    def verdict(self, finding: Finding) -> Verdict:
        """A doubt where what the finding tells stands in such lines; wrong numbers are not what is expected there."""
        if not self._places or not finding.code.startswith(("IPG1", "IPG3")):
            return SAFE
        function = self._function(finding.write.line)
        for site in (finding.write, finding.saved, finding.needed):
            if site is None or site.path != finding.write.path:
                continue
            for place in self._places:
                own = place.function is None or place.function is function is self._function(site.line)
                if site.line in place.lines and own:
                    return Verdict.doubt("the error seems to be expected here")
        return SAFE

    def _find(self) -> Iterator[_Place]:
        for node in self._tree.parents:
            if isinstance(node, ast.With | ast.AsyncWith):
                if any(self._asserts(item.context_expr) for item in node.items):
                    yield _Place(_lines(node.items[0].context_expr, node), None)
            elif isinstance(node, ast.Expr):
                if self._asserts(node.value):  # what it calls, its arguments need not tell: any line of the function
                    yield _Place(WHOLE, self._function(node.lineno))
            elif isinstance(node, ast.Try):
                if any(handler.type is None or _names(handler.type) & _CAUGHT for handler in node.handlers):
                    yield _Place(_lines(node.body[0], node.body[-1]), self._function(node.lineno))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
                if any(self._tree.dotted(mark) in _MARKS for mark in marks):
                    yield _Place(_lines(node, node), None)

    def _asserts(self, call: ast.expr) -> bool:
        """`pytest.raises(RuntimeError)`, `self.assertRaises(RuntimeError)`; what may be one counts."""
        if not isinstance(call, ast.Call):
            return False
        method = isinstance(call.func, ast.Attribute) and call.func.attr in _ASSERTING
        if not method and self._tree.dotted(call.func) != "pytest.raises":
            return False
        given = [keyword.value for keyword in call.keywords if keyword.arg in ("expected_exception", "exception")]
        names = _names((call.args or given or [ast.Name("RuntimeError")])[0])
        return bool(names & _CAUGHT) or not all(hasattr(builtins, name) for name in names)

    def _function(self, line: int) -> ast.AST | None:
        around = [node for node in self._functions if line in _lines(node, node)]
        return max(around, key=lambda node: node.lineno, default=self._tree.module)


def _names(types: ast.expr) -> set[str]:
    return {last_name(part) for part in (types.elts if isinstance(types, ast.Tuple) else [types])}


def _lines(first: ast.expr | ast.stmt, last: ast.stmt) -> range:
    assert last.end_lineno is not None
    return range(first.lineno, last.end_lineno + 1)
