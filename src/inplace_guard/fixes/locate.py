"""From a finding to the statement or call that writes."""

from __future__ import annotations

import ast

from inplace_guard.findings import Finding
from inplace_guard.fixes.text import SourceText
from inplace_guard.fixes.tree import last_name

__all__ = ["Index"]

_Writing = ast.AugAssign | ast.Assign | ast.AnnAssign | ast.Call


class Index:
    """The nodes of a tree that may write, by where they start."""

    def __init__(self, text: SourceText) -> None:
        self._nodes: dict[tuple[int, int], list[ast.AST]] = {}
        for node in ast.walk(text.tree):
            if isinstance(node, _Writing):
                self._nodes.setdefault(text.place(text.span(node)[0]), []).append(node)

        self._others: dict[tuple[int, int], ast.AST] = {}
        for node in ast.walk(text.tree):  # outermost first
            if isinstance(node, ast.expr):
                self._others.setdefault(text.place(text.span(node)[0]), node)

    def anything(self, finding: Finding) -> ast.AST | None:
        """The outermost expression at the finding's place: what it reports need not be a write."""
        return self._others.get((finding.write.line, finding.write.column))

    def find(self, finding: Finding) -> ast.AugAssign | ast.Assign | ast.AnnAssign | ast.Call | None:
        """The outermost node at the finding's place that is what its op says."""
        nodes = self._nodes.get((finding.write.line, finding.write.column), [])
        op = finding.write.op or ""
        statements = [node for node in nodes if not isinstance(node, ast.Call)]
        if statements and (isinstance(statements[0], ast.AugAssign) or op in ("__setitem__", "data")):
            return statements[0]  # type: ignore[return-value]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        name = "step" if op.endswith(".step()") else op
        named = [call for call in calls if last_name(call.func) == name]
        if named:
            return named[0]
        # `ReLU(inplace=True)` is the module's call or its constructor; `relu` may be a function under another name.
        # With these rules it may be somebody else's method that writes: `opt.zero_grad()`, `x.index_copy_()`.
        inside = finding.code in ("IPG207", "IPG208")
        return calls[0] if calls and (inside or not op.endswith("_")) else None
