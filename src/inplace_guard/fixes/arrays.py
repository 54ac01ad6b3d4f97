"""A NumPy array on a tensor's memory is written -> the array is a copy: `h.detach().numpy().copy()`."""

from __future__ import annotations

import ast

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.judge import Write
from inplace_guard.fixes.text import Unfixable

__all__ = ["propose"]


def propose(context: Context, node: ast.AST) -> Proposal:
    """Raises Unfixable."""
    written = _written(context, node)
    statement = context.tree.statement(node)
    assignment = _assignment(context, written.id, context.tree.scope(statement))
    end = context.text.span(assignment.value)[1]
    copying = _copying(context, assignment.value)
    write = Write(context.code, statement, written, written.id)
    return context.propose(
        f"write into a copy: `{written.id}` shares its memory", [context.insert(end, copying)], write
    )


def _written(context: Context, node: ast.AST) -> ast.Name:
    """The variable that holds the array."""
    found: ast.expr | None = None
    if isinstance(node, ast.AugAssign):
        found = node.target
    elif isinstance(node, ast.Assign):
        found = node.targets[0]
    elif isinstance(node, ast.Call):
        out = next((keyword.value for keyword in node.keywords if keyword.arg == "out"), None)
        if out is not None:
            found = out
        elif context.tree.dotted(node.func):
            found = node.args[0] if node.args else None
        elif isinstance(node.func, ast.Attribute):
            found = node.func.value
    while isinstance(found, ast.Subscript):
        found = found.value
    if not isinstance(found, ast.Name):
        raise Unfixable("the memory is shared with something that is no tensor")
    return found


def _assignment(context: Context, name: str, scope: ast.AST) -> ast.Assign:
    """The one place that gives the variable its value."""
    found = [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    stores = [node for node in found if not isinstance(context.tree.parents[node], ast.AugAssign)]
    assignment = context.tree.parents[stores[0]] if len(stores) == 1 else None
    if not isinstance(assignment, ast.Assign) or len(assignment.targets) != 1:
        raise Unfixable(f"where `{name}` comes to share memory cannot be told")
    return assignment


def _copying(context: Context, value: ast.expr) -> str:
    if isinstance(value, ast.Call):
        dotted = context.tree.dotted(value.func)
        if dotted.startswith("numpy.") or (
            isinstance(value.func, ast.Attribute) and value.func.attr in ("numpy", "__array__")
        ):
            return ".copy()"
        if dotted.startswith("torch."):
            return ".clone()"
    raise Unfixable("where it comes to share memory cannot be told")
