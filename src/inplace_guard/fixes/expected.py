"""Where a file expects an error: a test of it, or code that goes on after it. A fix would take that error away."""

from __future__ import annotations

import ast
import builtins
from functools import cached_property

from inplace_guard.findings import Finding
from inplace_guard.fixes.tree import Tree, last_name
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["Expected"]

_CAUGHT = {"RuntimeError", "Exception", "BaseException"}
_ASSERTING = {"assertRaises", "assertRaisesRegex"}
_MARKS = {"pytest.mark.xfail", "unittest.expectedFailure"}


class Expected:
    """The lines of a file whose errors are expected."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._asserted: set[int] = set()  # lines, whatever function writes
        self._caught: set[int] = set()  # lines, if the same function writes
        self._asserting: set[ast.AST] = set()  # functions
        for node in tree.parents:
            self._look(node)

    def verdict(self, finding: Finding) -> Verdict:
        """A doubt where what the finding tells stands in such lines; wrong numbers are not what is expected there."""
        if not finding.code.startswith(("IPG1", "IPG3")):
            return SAFE
        function = self._function(finding.write.line)
        expected = function in self._asserting
        for site in (finding.write, finding.saved, finding.needed):
            if site is not None and site.path == finding.write.path:
                expected |= site.line in self._asserted
                expected |= site.line in self._caught and self._function(site.line) is function
        return Verdict.doubt("the error seems to be expected here") if expected else SAFE

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.With | ast.AsyncWith):
            if any(self._asserts(item.context_expr) for item in node.items):
                self._asserted.update(_lines(node.items[0].context_expr, node))
        elif isinstance(node, ast.Expr):
            if self._asserts(node.value):  # what it calls may have a name only: any line of the function counts
                self._asserting.add(self._function(node.lineno))
        elif isinstance(node, ast.Try):
            if any(handler.type is None or _names(handler.type) & _CAUGHT for handler in node.handlers):
                function = self._function(node.lineno)
                lines = _lines(node.body[0], node.body[-1])
                self._caught.update(line for line in lines if self._function(line) is function)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
            if any(self._tree.dotted(mark) in _MARKS for mark in marks):
                self._asserted.update(_lines(node, node))

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

    def _function(self, line: int) -> ast.AST:
        return self._functions.get(line, self._tree.module)

    @cached_property
    def _functions(self) -> dict[int, ast.AST]:
        """For each line, the innermost function around it."""
        functions = [node for node in self._tree.functions if not isinstance(node, ast.Lambda)]
        functions.sort(key=lambda node: node.lineno)
        return {line: function for function in functions for line in _lines(function, function)}


def _names(types: ast.expr) -> set[str]:
    return {last_name(part) for part in (types.elts if isinstance(types, ast.Tuple) else [types])}


def _lines(first: ast.expr | ast.stmt, last: ast.stmt) -> range:
    assert last.end_lineno is not None
    return range(first.lineno, last.end_lineno + 1)
