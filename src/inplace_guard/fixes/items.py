"""`x[i] = y` -> a copy of `x` first, so that what was saved stays as it was."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from inplace_guard import ops
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.judge import Write
from inplace_guard.fixes.text import Edit, Unfixable
from inplace_guard.fixes.tree import has_effects, names_in, path_of

__all__ = ["base", "copy_first", "propose"]


def propose(context: Context, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> Proposal:
    """Raises Unfixable."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) != 1 or not isinstance(targets[0], ast.Subscript) or node.value is None:
        raise Unfixable("it writes several targets in one statement")
    if context.program.kinds.is_container(targets[0].value, context.tree.scope(node)):
        raise Unfixable(f"`{context.text.segment(targets[0].value)}` is no tensor")
    return copy_first(context, targets[0].value, node, [node.value])


def copy_first(context: Context, written: ast.expr, node: ast.AST, values: Sequence[ast.expr]) -> Proposal:
    """A clone of what `written` is a view of, before the statement; what `values` read of it is read before that.

    Raises Unfixable.
    """
    statement = context.simple_statement(node)
    owner, element = base(context, written, context.tree.scope(statement))
    text = context.text.segment(owner)
    edits: list[Edit] = []
    lines = [f"{text} = {text}.clone()"]
    path = path_of(owner.value) if element and isinstance(owner, ast.Subscript) else path_of(owner)
    taken: set[str] = set()
    for value in reversed(values):
        if path not in names_in(value):
            continue
        # What this reads is saved too: it must not be the copy that is written.
        name = context.fresh_name("value", taken)
        taken.add(name)
        if isinstance(statement, ast.Expr):
            span = context.text.span(value)
            code = context.text.text[slice(*span)]
            code = f"({code})" if "\n" in code or "\r" in code else code
        else:
            code, span = _value(context, statement)
        lines.insert(0, f"{name} = {code}")
        edits.append(Edit(*span, name))
    edits.append(context.before(statement, *lines))
    write = Write(context.code, statement, owner, path, element)
    return context.propose(f"write into a copy of `{text}`", edits, write)


def base(context: Context, written: ast.expr, scope: ast.AST) -> tuple[ast.expr, bool]:
    """The variable that holds the memory, and whether it is an element of a list or dict.

    Raises Unfixable where that cannot be told.
    """
    kinds = context.program.kinds
    at = written
    while True:
        if path_of(at):
            if isinstance(at, ast.Attribute) and (fact := ops.attribute(at.attr)) and fact.relation == "view":
                at = at.value
                continue
            return at, False
        if isinstance(at, ast.Subscript):
            if kinds.is_container(at.value, scope):
                if has_effects(at) or not path_of(at.value):
                    raise Unfixable("its target would be evaluated twice")
                return at, True
            if not kinds.is_tensor(at.value, scope, at.slice):
                raise Unfixable(f"whether `{context.text.segment(at.value)}` is a list or a tensor cannot be told")
            at = at.value
        elif isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and _is_view(at.func.attr):
            at = at.func.value
        else:
            raise Unfixable(f"what `{context.text.segment(written)}` is a view of cannot be told")


def _is_view(name: str) -> bool:
    op = ops.method(name)
    return op is not None and all(r.relation == "view" and not r.many for o in op.overloads for r in o.results)


def _value(context: Context, statement: ast.stmt) -> tuple[str, tuple[int, int]]:
    """The right side with the brackets around it, and where it stands."""
    start, end = context.text.span(statement)
    text = context.text.text[start:end]
    module = cst.parse_module(text)
    line = module.body[0]
    node = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if not isinstance(node, cst.Assign | cst.AugAssign | cst.AnnAssign) or node.value is None:
        raise Unfixable("it is not a simple assignment")
    code = module.code_for_node(node.value)
    if not text.endswith(code):
        raise Unfixable("its right side cannot be moved")
    return code, (end - len(code), end)
