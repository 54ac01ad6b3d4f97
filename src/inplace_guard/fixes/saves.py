"""Copies of what was saved: the write stays as it is, for everybody who holds the tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_guard import ops
from inplace_guard.fixes.context import Context, Proposal
from inplace_guard.fixes.copying import copied, short, written_root
from inplace_guard.fixes.memory import base_of
from inplace_guard.fixes.text import Edit
from inplace_guard.fixes.tree import path_of
from inplace_guard.fixes.twins import writes_itself
from inplace_guard.fixes.verdict import Verdict

__all__ = ["at_save", "of_saved", "recorded"]

_SAVED_COPY = "the write stays in place for everybody who holds the tensor, and the copy takes memory"


def at_save(context: Context, node: ast.AST, *, for_all: bool = False) -> Iterator[Proposal]:
    """`lin(z) * self.level`, where the buffer is written later: what is saved there is a copy."""
    saved = context.finding.saved
    if saved is None or saved.path != context.finding.write.path:
        return
    for op in _nodes_at(context, saved.line, saved.column):
        operands = [part for part in _operands(context, op) if not isinstance(part, ast.Constant | ast.Lambda)]
        by_text: dict[str, list[ast.expr]] = {}
        for part in operands:
            by_text.setdefault(context.text.segment(part), []).append(part)
        for text, parts in sorted(by_text.items(), key=lambda item: not _is_plain(item[1][0])):
            edits = [edit for part in parts for edit in copied(context, part)]
            if edits:
                yield _proposal(f"let line {saved.line} save a copy of `{short(text)}`", edits)
        # A write past autograd has no gradient: what it replaced must not go on under its name.
        past = context.code in ("IPG201", "IPG202") and not isinstance(context.tree.parents[op], ast.Call)
        unused = isinstance(context.tree.parents[op], ast.Expr) or _is_hooked(context, op)
        shared = for_all and not _is_new(context, op)
        if isinstance(op, ast.Call) and not past and not unused and not shared and (edits := copied(context, op)):
            yield _proposal(f"go on with a copy of what line {saved.line} saved", edits)


def of_saved(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """Copies of what an operation is given, and saves: nobody else has them."""
    yield from at_save(context, node, for_all=True)
    edits: list[Edit] = []
    lines: set[int] = set()
    for maker in _makers(context, node):
        edits += copied(context, maker)
        lines.add(maker.lineno)
    if edits:
        where = ", ".join(map(str, sorted(lines)))
        yield _proposal(f"go on with copies of what was made on line {where}", edits)


def _makers(context: Context, node: ast.AST) -> list[ast.expr]:
    """The expressions that may have made what is written, also those whose result a caller hands in."""
    root = written_root(node)
    if root is None:
        return []
    found: set[ast.expr] = set()
    todo: list[tuple[ast.expr, ast.stmt]] = [(root, context.tree.statement(node))]
    seen: set[ast.expr] = set()
    while todo:
        expression, statement = todo.pop()
        if expression in seen:
            continue
        seen.add(expression)
        function = context.tree.scope(statement)
        for thing in context.judge.things(expression, statement) or ():
            base = base_of(thing)
            if base[0] in ("new", "old") and _is_new(context, base[1]) and not _is_hooked(context, base[1]):
                found.add(base[1])
            elif base[0] == "param" and isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                sites = context.judge.callers.of(function, base[1])
                todo += [(s.argument, context.tree.statement(s.call)) for s in sites if s.argument is not None]
    return sorted(found, key=lambda made: (made.lineno, made.col_offset))


def _is_new(context: Context, made: ast.expr) -> bool:
    """Whether nobody holds the value before it is copied."""
    things = context.judge.things(made, context.tree.statement(made))
    return things is not None and all(base_of(thing)[1:] == (made,) for thing in things)


def _is_hooked(context: Context, op: ast.expr) -> bool:
    """Whether a forward hook has kept the result of a module before it can be copied."""
    if not context.program.hooks_outputs or not isinstance(op, ast.Call) or context.tree.dotted(op.func):
        return False
    return not isinstance(op.func, ast.Attribute) or ops.method(op.func.attr) is None


def _is_plain(node: ast.expr) -> bool:
    return bool(path_of(node))


def _nodes_at(context: Context, line: int, column: int) -> list[ast.expr]:
    """The operations that start at this place, outermost last."""
    found = [
        node
        for node in context.tree.parents
        if isinstance(node, ast.Call | ast.BinOp) and context.text.place(context.text.span(node)[0]) == (line, column)
    ]
    return sorted(found, key=lambda node: context.text.span(node)[1])


def _operands(context: Context, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    assert isinstance(node, ast.Call)
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg)]
    func = node.func if isinstance(node.func, ast.Attribute) and not context.tree.dotted(node.func) else None
    if func is not None and not writes_itself(func.attr) and path_of(func.value) != "self":
        given.insert(0, func.value)
    return [part for part in given if not isinstance(part, ast.Starred)]


def recorded(context: Context, node: ast.AST) -> Iterator[Proposal]:
    """`h.data += 1` -> `h += 1`, and a copy of what was saved: the write stays, and autograd is told of it."""
    statement = context.tree.statement(node)
    root = written_root(node)
    reads = [n for n in ast.walk(statement) if isinstance(n, ast.Attribute) and n.attr == "data"]
    if root is None or not reads or any(path_of(read.value) != path_of(root) for read in reads):
        return
    if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Subscript):
        return  # `h.data = y`
    edits = [Edit(context.text.span(read.value)[1], context.text.span(read)[1], "") for read in reads]
    for proposal in of_saved(context, node):
        yield _proposal(f"write `{path_of(root)}` itself, and {proposal.description}", [*edits, *proposal.edits])


def _proposal(description: str, edits: list[Edit]) -> Proposal:
    return Proposal(description, tuple(edits), Verdict.doubt(_SAVED_COPY))
