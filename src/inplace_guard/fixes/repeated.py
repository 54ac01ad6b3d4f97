"""`x[idx] += y`, where idx repeats -> every update counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.tree import has_effects, last_name, path_of
from inplace_guard.fixes.verdict import Verdict

__all__ = ["propose"]


def propose(context: Context, node: ast.AST) -> Iterator[Proposal]:
    verdict = Verdict.doubt("where an index repeats, its updates are added up")
    statement = context.tree.statement(node)
    if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call):
        fresh = isinstance(call.func, ast.Attribute) and _is_zeros(context, call.func.value)
        if fresh and isinstance(call.func, ast.Attribute) and call.func.attr == "index_copy_":
            end = context.text.span(call.func)[1]
            edit = context.replace(call.func, context.text.text[context.text.span(call.func)[0] : end - 5] + "add_")
            yield Proposal("add what goes to one index", (edit,), verdict)
        return
    if not isinstance(statement, ast.AugAssign) or not isinstance(statement.op, ast.Add | ast.Sub):
        return
    target = statement.target
    if not isinstance(target, ast.Subscript) or has_effects(target):
        return
    tensor, index = context.text.segment(target.value), context.text.segment(target.slice)
    value = context.text.segment(statement.value)
    sign = "-" if isinstance(statement.op, ast.Sub) else ""
    number = isinstance(statement.value, ast.Constant | ast.UnaryOp)
    if isinstance(target.slice, ast.Name | ast.Attribute) and not number:
        amount = ", alpha=-1" if sign else ""
        new = f"{tensor}.index_add_(0, {index}, {value}{amount})"
        yield Proposal("add all updates with index_add_", (context.replace(statement, new),), verdict)
    if isinstance(target.slice, ast.Tuple):
        if any(isinstance(part, ast.Slice | ast.Constant) for part in target.slice.elts):
            return
        indices = f"({index.strip('()')})"
    else:
        indices = f"({index},)"
    if number:
        value = f"torch.full_like({tensor}[{index}], {sign}{value})"
        if context.tree.imports.get("torch") != "torch":
            return
    elif sign:
        value = f"-({value})"
    new = f"{tensor}.index_put_({indices}, {value}, accumulate=True)"
    yield Proposal("add all updates with index_put_", (context.replace(statement, new),), verdict)


def _is_zeros(context: Context, node: ast.expr) -> bool:
    """Whether the tensor was made of zeros here: then what is copied into it may as well be added."""
    scope = context.tree.scope(context.tree.statement(node))
    given = [n.value for n in ast.walk(scope) if isinstance(n, ast.Assign) and path_of(node) in map(path_of, n.targets)]
    return len(given) == 1 and isinstance(given[0], ast.Call) and "zeros" in last_name(given[0].func)
