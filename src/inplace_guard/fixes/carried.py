"""A graph that is carried from one step to the next -> it ends with the step: `h.detach()`; or it is made anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import may_be_tensor
from inplace_guard.fixes.text import Edit
from inplace_guard.fixes.tree import names_in, path_of, stored_by
from inplace_guard.fixes.verdict import Verdict

__all__ = ["propose", "retained"]

_DOUBT = Verdict.doubt("no gradient flows into earlier steps then")


def propose(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """Values that outlive a round of a loop or a call, with the graph that made them."""
    assigned = [n for n in context.tree.parents if isinstance(n, ast.Assign | ast.AugAssign)]
    # A loop around the step carries the state; what a module does inside one step is its own affair.
    here = context.tree.scope(context.tree.statement(node))
    assigned.sort(key=lambda n: (context.tree.scope(n) is not here, n.lineno, n.col_offset))
    for statement in assigned:
        yield from _accumulated(context, statement)
    for statement in assigned:
        if isinstance(statement, ast.Assign):
            yield from _looped(context, statement)
    for statement in assigned:
        if isinstance(statement, ast.Assign):
            yield from _before_loop(context, statement)


def retained(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """The backward that freed what another one needs keeps it: `retain_graph=True`."""
    verdict = Verdict.doubt("the graph is kept in memory until the last backward through it")
    needed = context.finding.needed
    lines = {needed.line} if needed is not None else set()
    lines |= {context.finding.write.line}
    for call in context.tree.calls:
        backward = isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
        backward = backward or context.tree.dotted(call.func) == "torch.autograd.grad"
        if not backward or call.lineno not in lines or any(k.arg == "retain_graph" for k in call.keywords):
            continue
        end = context.text.span(call)[1] - 1
        if context.text.text[:end].rstrip().endswith(","):
            continue
        comma = ", " if call.args or call.keywords else ""
        edit = Edit(end, end, f"{comma}retain_graph=True")
        yield Proposal(f"keep the graph of line {call.lineno}", (edit,), verdict)


def _accumulated(context: Context, statement: ast.Assign | ast.AugAssign) -> Iterator[Proposal]:
    """`total = total + loss` -> `total = total + loss.detach()`."""
    if isinstance(statement, ast.AugAssign):
        if path_of(statement.target) and _loop(context, statement) is not None:
            yield from _cut(context, statement.value, f"add up `{path_of(statement.target)}` without the graphs")
        return
    path = path_of(statement.targets[0])
    value = statement.value
    if not path or not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return
    sides = [side for side in (value.left, value.right) if path not in names_in(side)]
    if len(sides) == 1:
        yield from _cut(context, sides[0], f"add up `{path}` without the graphs")


def _looped(context: Context, statement: ast.Assign) -> Iterator[Proposal]:
    """`h = cell(x, h)` -> `h = cell(x, h.detach())`: the value of the round before."""
    stored = stored_by(*statement.targets)
    for part in ast.walk(statement.value):
        path = path_of(part)
        if path not in stored or not isinstance(part, ast.Name | ast.Attribute):
            continue
        if "." not in path and _loop(context, statement) is None:
            continue
        parent = context.tree.parents[part]
        given = [*parent.args, *(k.value for k in parent.keywords)] if isinstance(parent, ast.Call) else []
        if part not in given and not isinstance(parent, ast.BinOp):
            continue
        detached = _detached(context, part, path)
        yield Proposal(f"start from the value of `{path}` alone", (context.replace(part, detached),), _DOUBT)


def _detached(context: Context, part: ast.Name | ast.Attribute, path: str) -> str:
    """`h.detach()`, for a tuple each of it, and nothing for the None that it starts with."""
    scope = context.tree.scope(context.tree.statement(part))
    where = context.tree.owner(scope) if path.startswith("self.") else scope
    nodes = list(ast.walk(where or scope))
    indexed = any(isinstance(n, ast.Subscript) and path_of(n.value) == path and isinstance(n.slice, ast.Constant)
                  for n in nodes)  # fmt: skip
    kinds = context.kinds(part)
    held = indexed or "sequence" in kinds or context.program.kinds.is_container(part, scope)
    detached = f"tuple(value.detach() for value in {path})" if held else f"{path}.detach()"
    empty = any(
        isinstance(n, ast.Assign)
        and any(path_of(target) == path for target in n.targets)
        and isinstance(n.value, ast.Constant)
        and n.value.value is None
        for n in nodes
    )
    defaults = [d for d in getattr(getattr(scope, "args", None), "defaults", []) if isinstance(d, ast.Constant)]
    empty = empty or (any(d.value is None for d in defaults) and path in _arguments(scope))
    empty = empty or "none" in kinds
    return f"None if {path} is None else {detached}" if empty else detached


def _arguments(scope: ast.AST) -> set[str]:
    return {argument.arg for argument in ast.walk(scope) if isinstance(argument, ast.arg)}


def _before_loop(context: Context, statement: ast.Assign) -> Iterator[Proposal]:
    """What is made once and used in every round: by a module, it is made anew; by anything else, it is detached."""
    path = path_of(statement.targets[0])
    if not path or len(statement.targets) != 1 or not isinstance(statement.value, ast.Call | ast.BinOp | ast.UnaryOp):
        return
    scope = context.tree.scope(statement)
    if path.startswith("self."):
        if getattr(scope, "name", "") == "__init__":
            yield from _cut(context, statement.value, f"keep the value of `{path}` alone")
        return
    for loop in ast.walk(scope):
        if not isinstance(loop, ast.For | ast.While) or loop in context.tree.above(statement) or not loop.body:
            continue
        if loop.lineno < statement.lineno or path not in names_in(*loop.body):
            continue
        if any(path in stored_by(n) for n in ast.walk(loop) if isinstance(n, ast.Assign | ast.AugAssign)):
            continue
        if _calls_module(context, statement.value) and may_be_tensor(context, statement.value):
            user = next(n for n in loop.body if path in names_in(n))
            if context.text.indentation(context.text.span(user)[0]) is not None:
                line = context.text.segment(statement)
                if "\n" not in line:
                    edit = context.before(user, line)
                    verdict = Verdict.doubt("it is computed anew in every round, with the parameters of then")
                    yield Proposal(f"compute `{path}` in every round", (edit,), verdict)
        else:
            yield from _cut(context, statement.value, f"keep the value of `{path}` alone")
        return


def _cut(context: Context, value: ast.expr, description: str) -> Iterator[Proposal]:
    if not may_be_tensor(context, value) or (isinstance(value, ast.Call) and _name(value) == "detach"):
        return
    start, end = context.text.span(value)
    if isinstance(value, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        edits = [context.insert(end, ".detach()")]
    else:
        edits = [context.insert(start, "("), context.insert(end, ").detach()")]
    yield Proposal(description, tuple(edits), _DOUBT)


def _loop(context: Context, statement: ast.stmt) -> ast.For | ast.While | None:
    scope = context.tree.scope(statement)
    for parent in context.tree.above(statement):
        if parent is scope:
            return None
        if isinstance(parent, ast.For | ast.While):
            return parent
    return None


def _calls_module(context: Context, value: ast.expr) -> bool:
    """`net(x)`: what is called is a variable, not a function of torch or a method of a tensor."""
    if not isinstance(value, ast.Call) or context.tree.dotted(value.func):
        return False
    path = path_of(value.func)
    return bool(path) and ("." not in path or path.startswith("self.")) and path not in context.program.functions_named


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
