"""What the expressions of a file evaluate to, as far as the analysis runs them: for whoever rewrites them."""

from __future__ import annotations

import ast

from inplace_guard import rules
from inplace_guard.analysis import values
from inplace_guard.analysis.entries import Runner
from inplace_guard.analysis.interpreter import Interpreter
from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.values import NO, NONE, Array, Const, Dict, Either, Seq, Tensor, Unknown, Value

__all__ = ["Seen", "Span", "seen", "span"]

Span = tuple[int, int, int, int]
Seen = dict[Span, frozenset[str]]


def span(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def seen(tree: ast.Module, source: str) -> Seen:
    """For each expression that was run, what it was: "tensor", "array", "none", "sequence", "dict", "other" (modules,
    functions, numbers and the rest) or "unknown"; and "history", if it may require grad."""
    found: dict[Span, set[str]] = {}

    class Listener(Interpreter):
        def eval(self, node: ast.expr) -> Value:
            value = super().eval(node)
            if self.scope is self.home:
                found.setdefault(span(node), set()).update(_kinds(self, value))
            return value

    class Watched(Runner):
        interpreter = Listener

    Watched(tree, source, rules.resolve(), Scope(tree, source)).run()
    return {place: frozenset(kinds) for place, kinds in found.items()}


def _kinds(it: Interpreter, value: Value) -> set[str]:
    if isinstance(value, Either):
        return set().union(*[_kinds(it, option) for option in value.options])
    if isinstance(value, Tensor):
        kind = "tensor" if value.sure or value.mem else "unknown"
        return {kind} if it.req(value) == NO else {kind, "history"}
    if isinstance(value, Array):
        return {"array" if value.how != "storage" else "other"}
    if value is NONE or (isinstance(value, Const) and value.value is None):
        return {"none"}
    if isinstance(value, Unknown | values.Method):
        return {"unknown"}
    if isinstance(value, Seq) and value.kind in ("list", "tuple"):
        return {"sequence"}
    return {"dict" if isinstance(value, Dict) and value.kind == "dict" else "other"}
